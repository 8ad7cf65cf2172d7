import type { JsonObject } from '@bufbuild/protobuf'
import type { Ctx } from '../ctx.ts'
import { alignmentOf } from '../domain/alignment.ts'
import { compareDkimAlias, compareDkimKey } from '../domain/dkim.ts'
import { evaluateDmarc } from '../domain/dmarc.ts'
import { failed, type Finding } from '../domain/dns-answer.ts'
import { obstacleFault } from '../domain/provider-problem.ts'
import { lackingWebhooks, noWebhooks, webhookEvents } from '../domain/provider-webhooks.ts'
import { verificationStateOf, type SeenStates } from '../domain/readiness.ts'
import { evaluateSpf, includedName } from '../domain/spf.ts'
import type { ProviderResult } from '../provider/mailgun/mailgun.ts'
import { dkimRecordOf, spfRecordOf, type DkimRecord } from '../provider/mailgun/read-domain.ts'
import type { ProviderDomain, ProviderRecord } from '../provider/mailgun/shapes.ts'
import { checkMx, checkTracking } from './advice.ts'
import type { DnsLine } from './dns-questions.ts'
import { dnsEvidence, plainEvidence } from './evidence.ts'
import type { Subject } from './subject.ts'

export interface Observation {
  readonly seen: SeenStates
  /** what the provider wants published, as of now */
  readonly records: readonly ProviderRecord[]
  readonly evidence: JsonObject
  /** false when nothing is wrong that could be seen, but the DNS kept silent on something */
  readonly isConclusive: boolean
}

/** All DNS questions of one check together; what is not answered by then stays unknown. */
const dnsBudgetMs = 12_000

/** A provider that does not know the domain any more is an answer about the domain. */
const knownOr = <T>(result: ProviderResult<T>, unknown: T): T => {
  if (result.ok) return result.value
  if (result.problem === 'not_found') return unknown
  throw obstacleFault(result.problem)
}

/**
 * Looks at a domain from outside: at the provider first, then in the live DNS, compared with what the provider wants.
 * Changes nothing anywhere. A provider that does not answer is a Fault, for then there is nothing to compare with.
 */
export async function observeDomain(ctx: Ctx, subject: Subject): Promise<Observation> {
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
    checkSpf(ctx.dns.line(signal), domainName, spfRecordOf(domain.records)),
    checkDkim(ctx.dns.line(signal), dkimRecord),
    checkDmarc(ctx.dns.line(signal), domainName),
    checkTracking(ctx.dns.line(signal), subject.trackingDomain, domain.records),
    checkMx(ctx.dns.line(signal), domainName),
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

const withEvidence = <T extends Finding>(line: DnsLine, finding: T, expected: string): Checked<T> => ({
  ...finding,
  evidence: dnsEvidence(line, { expected, verdict: finding.state, detail: finding.detail }),
})

async function checkSpf(line: DnsLine, domainName: string, record: ProviderRecord | undefined): Promise<Checked> {
  const name = record && includedName(record.value)
  if (name === undefined) {
    await line.ask(domainName, 'TXT')
    return withEvidence(
      line,
      failed('The mail provider names no SPF record to include for this domain.'),
      'a name to include',
    )
  }
  return withEvidence(
    line,
    await evaluateSpf(domainName, name, line.ask),
    `exactly one v=spf1 record that includes ${name}`,
  )
}

async function checkDkim(line: DnsLine, record: DkimRecord | undefined): Promise<Checked> {
  if (!record)
    return withEvidence(
      line,
      failed('The mail provider shows no DKIM record under the selector of this domain.'),
      'a DKIM record',
    )
  if (record.type === 'CNAME')
    return withEvidence(line, compareDkimAlias(record.value, await line.ask(record.name, 'CNAME')), record.value)
  return withEvidence(line, compareDkimKey(record.value, await line.ask(record.name, 'TXT')), record.value)
}

async function checkDmarc(line: DnsLine, domainName: string) {
  return withEvidence(
    line,
    await evaluateDmarc(domainName, (name) => line.ask(name, 'TXT')),
    'one DMARC record with a valid policy',
  )
}
