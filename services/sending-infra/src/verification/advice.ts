import type { JsonObject } from '@bufbuild/protobuf'
import { failed, pending, verified, type DnsAnswer, type Finding } from '../records/dns-answer.ts'
import { isDkimName } from '../provider/mailgun/read-domain.ts'
import type { ProviderRecord } from '../provider/mailgun/shapes.ts'
import type { DnsSession } from './dns-client.ts'
import { dnsEvidence, plainEvidence } from './evidence.ts'

/** Additional checks that are reported. Sending does not depend on them. */

const bare = (name: string) => name.toLowerCase().replace(/\.$/, '')

const noAnswer = (answer: Extract<DnsAnswer, { kind: 'no_answer' }>): Finding =>
  pending(`The DNS did not answer: ${answer.why}. Check again later.`)

const evidenceOf = (session: DnsSession, found: Finding, expected: string): JsonObject =>
  dnsEvidence(session, { expected, verdict: found.state, detail: found.detail })

/** Whether tracked links can use the customer's name: a CNAME to the provider, under the given name or the provider's suggestion. */
export async function checkTracking(
  session: DnsSession,
  trackingDomain: string | null,
  records: readonly ProviderRecord[],
): Promise<JsonObject> {
  const record = records.find(({ type, name }) => type === 'CNAME' && !isDkimName(name))
  const name = trackingDomain ?? record?.name
  if (name === undefined || record === undefined)
    return plainEvidence({
      question: 'Which name do tracked links carry?',
      server: 'mail provider',
      answer: null,
      expected: 'nothing',
      verdict: 'not_required',
      detail: 'The mail provider shows no tracking record for this domain; links carry its own name.',
    })
  const answer = await session.ask(name, 'CNAME')
  const expected = bare(record.value)
  const isRight = answer.kind === 'records' && answer.values.length === 1 && bare(answer.values[0]!) === expected
  const found =
    answer.kind === 'no_answer'
      ? noAnswer(answer)
      : isRight
        ? verified(`Tracked links carry ${name}.`)
        : failed(`There is no CNAME from ${name} to ${expected}; opens and clicks may go uncounted.`)
  return evidenceOf(session, found, expected)
}

/** Whether the domain can receive mail, such as replies and reports of receivers. */
export async function checkMx(session: DnsSession, domainName: string): Promise<JsonObject> {
  const answer = await session.ask(domainName, 'MX')
  const isNull = answer.kind === 'records' && answer.values.every((value) => /^\d+ \.?$/.test(value))
  const found =
    answer.kind === 'no_answer'
      ? noAnswer(answer)
      : answer.kind === 'records' && !isNull
        ? verified('The domain takes mail.')
        : failed(
            `The domain takes no mail${isNull ? ' (null MX)' : ''}: answers to it are lost, and some receivers doubt mail from such a name.`,
          )
  return evidenceOf(session, found, 'at least one MX record')
}
