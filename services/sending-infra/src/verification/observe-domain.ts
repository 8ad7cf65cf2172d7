import type { JsonObject } from '@bufbuild/protobuf'
import type { Ctx } from '../ctx.ts'
import { alignmentOf } from '../records/alignment.ts'
import { compareDkimAlias, compareDkimKey } from '../records/dkim.ts'
import { evaluateDmarc } from '../records/dmarc.ts'
import { failed, type Finding } from '../records/dns-answer.ts'
import { obstacleFault } from '../provider/provider-problem.ts'
import { lackingWebhooks, noWebhooks, webhookEvents } from '../provider/provider-webhooks.ts'
import { verificationStateOf, type CheckedStates } from '../records/readiness.ts'
import { evaluateSpf, includedName } from '../records/spf.ts'
import type { ProviderResult } from '../provider/mailgun/mailgun.ts'
import { dkimRecordOf, spfRecordOf, type DkimRecord } from '../provider/mailgun/read-domain.ts'
import type { ProviderDomain, ProviderRecord } from '../provider/mailgun/shapes.ts'
import { checkMx, checkTracking } from './advice.ts'
import type { DnsSession } from './dns-client.ts'
import { dnsEvidence, plainEvidence } from './evidence.ts'
import type { CheckInput } from './subject.ts'

export interface Observation {
  readonly seen: CheckedStates
  /** the DNS records that the provider currently requires */
  readonly records: readonly ProviderRecord[]
  readonly evidence: JsonObject
  /** false if no check failed, but the DNS did not answer at least one query */
  readonly isConclusive: boolean
}

/** The time limit of all DNS queries of one check. Later answers are ignored. */
const dnsBudgetMs = 12_000

/** If the provider no longer knows the domain, this is a result of the check. */
const knownOr = <T>(result: ProviderResult<T>, unknown: T): T => {
  if (result.ok) return result.value
  if (result.problem === 'not_found') return unknown
  throw obstacleFault(result.problem)
}

/**
 * Checks a domain: first at the provider, then in the live DNS, compared with the records that the provider requires. It changes
 * nothing. If the provider does not answer, it throws a Fault, because the required records are unknown.
 */
export async function observeDomain(ctx: Ctx, subject: CheckInput): Promise<Observation> {
  const { domainName, access } = subject
  const [domainAnswer, webhooksAnswer] = await Promise.all([
    ctx.provider.readDomain(access, domainName, ctx.signal),
    ctx.provider.listWebhooks(access, domainName, ctx.signal),
  ])
  const domain = knownOr<Pick<ProviderDomain, 'state' | 'records'>>(domainAnswer, {
    state: 'unknown',
    records: subject.records,
  })
  const webhooks = knownOr(webhooksAnswer, noWebhooks)

  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(dnsBudgetMs)])
  const dkimRecord = dkimRecordOf(domain.records, subject.dkimSelector)
  const [spf, dkim, dmarc, tracking, mx] = await Promise.all([
    checkSpf(ctx.dns.session(signal), domainName, spfRecordOf(domain.records)),
    checkDkim(ctx.dns.session(signal), dkimRecord),
    checkDmarc(ctx.dns.session(signal), domainName),
    checkTracking(ctx.dns.session(signal), subject.trackingDomain, domain.records),
    checkMx(ctx.dns.session(signal), domainName),
  ])
  const alignment = alignmentOf(domainName, dkimRecord?.signingDomain ?? null, dmarc.isStrictDkim)
  const lacking = lackingWebhooks(webhooks, subject.webhookUrl)
  const server = `mail provider, region ${access.region}`
  const verificationState = verificationStateOf(domain.state)
  const providerCalls =
    domain.state === 'active'
      ? 'The mail provider calls the domain active.'
      : domain.state === 'unknown'
        ? 'The mail provider does not know the domain under this connection any more.'
        : `The mail provider calls the domain "${domain.state.slice(0, 40)}".`

  return {
    records: domain.records,
    isConclusive:
      [spf, dkim, dmarc].every(({ state }) => state !== 'pending') ||
      [spf, dkim, dmarc].some(({ state }) => state === 'failed'),
    seen: {
      verificationState,
      spfState: spf.state,
      dkimState: dkim.state,
      dmarcState: dmarc.state,
      alignmentState: alignment.state,
      webhooksRegistered: lacking.length === 0,
    },
    evidence: {
      verification: plainEvidence({
        question: `GET /v4/domains/${domainName}`,
        server,
        answer: { state: domain.state },
        expected: 'active',
        verdict: verificationState,
        detail: providerCalls,
      }),
      spf: spf.evidence,
      dkim: dkim.evidence,
      dmarc: dmarc.evidence,
      alignment: plainEvidence({
        question: `Does ${dkimRecord?.signingDomain ?? 'no domain'} sign for ${domainName}?`,
        server: 'public suffix list',
        answer: dkimRecord?.signingDomain ?? null,
        expected: dmarc.isStrictDkim ? domainName : 'the same organisation',
        verdict: alignment.state,
        detail: alignment.detail,
      }),
      webhooks: plainEvidence({
        question: `GET /v3/domains/${domainName}/webhooks`,
        server,
        answer: { registered: webhookEvents.filter((event) => !lacking.includes(event)), missing: lacking },
        expected: subject.webhookUrl,
        verdict: lacking.length === 0 ? 'verified' : 'failed',
        detail:
          lacking.length === 0
            ? 'All eight kinds of events come here.'
            : `These events do not come here: ${lacking.join(', ')}. Register the webhooks.`,
      }),
      tracking,
      mx,
    },
  }
}

type Checked<T extends Finding = Finding> = T & { evidence: JsonObject }

const withEvidence = <T extends Finding>(session: DnsSession, finding: T, expected: string): Checked<T> => ({
  ...finding,
  evidence: dnsEvidence(session, { expected, verdict: finding.state, detail: finding.detail }),
})

async function checkSpf(session: DnsSession, domainName: string, record: ProviderRecord | undefined): Promise<Checked> {
  const name = record && includedName(record.value)
  if (name === undefined) {
    await session.ask(domainName, 'TXT')
    return withEvidence(
      session,
      failed('The mail provider names no SPF record to include for this domain.'),
      'a name to include',
    )
  }
  return withEvidence(
    session,
    await evaluateSpf(domainName, name, session.ask),
    `exactly one v=spf1 record that includes ${name}`,
  )
}

async function checkDkim(session: DnsSession, record: DkimRecord | undefined): Promise<Checked> {
  if (!record)
    return withEvidence(
      session,
      failed('The mail provider shows no DKIM record under the selector of this domain.'),
      'a DKIM record',
    )
  if (record.type === 'CNAME')
    return withEvidence(session, compareDkimAlias(record.value, await session.ask(record.name, 'CNAME')), record.value)
  return withEvidence(session, compareDkimKey(record.value, await session.ask(record.name, 'TXT')), record.value)
}

async function checkDmarc(session: DnsSession, domainName: string) {
  return withEvidence(
    session,
    await evaluateDmarc(domainName, (name) => session.ask(name, 'TXT')),
    'one DMARC record with a valid policy',
  )
}
