import type { JsonObject } from '@bufbuild/protobuf'
import { failed, pending, verified, type DnsAnswer, type Finding } from '../domain/dns-answer.ts'
import { isDkimName } from '../provider/mailgun/read-domain.ts'
import type { ProviderRecord } from '../provider/mailgun/shapes.ts'
import type { DnsLine } from './dns-questions.ts'
import { dnsEvidence, plainEvidence } from './evidence.ts'

/** What a check also looks at and says, though sending does not depend on it. */

const bare = (name: string) => name.toLowerCase().replace(/\.$/, '')

const silent = (answer: Extract<DnsAnswer, { kind: 'no_answer' }>): Finding =>
  pending(`The DNS did not answer: ${answer.why}. Check again later.`)

const evidenceOf = (line: DnsLine, found: Finding, expected: string): JsonObject =>
  dnsEvidence(line, { expected, verdict: found.state, detail: found.detail })

/** Whether links and open pixels can carry the customer's own name: a CNAME to the provider, under the name given or the one it shows. */
export async function checkTracking(
  line: DnsLine,
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
  const answer = await line.ask(name, 'CNAME')
  const expected = bare(record.value)
  const isRight = answer.kind === 'records' && answer.values.length === 1 && bare(answer.values[0]!) === expected
  const found =
    answer.kind === 'no_answer'
      ? silent(answer)
      : isRight
        ? verified(`Tracked links carry ${name}.`)
        : failed(`There is no CNAME from ${name} to ${expected}; opens and clicks may go uncounted.`)
  return evidenceOf(line, found, expected)
}

/** Whether mail to the domain reaches anybody: replies, and reports of receivers that write to the from-address. */
export async function checkMx(line: DnsLine, domainName: string): Promise<JsonObject> {
  const answer = await line.ask(domainName, 'MX')
  const isNull = answer.kind === 'records' && answer.values.every((value) => /^\d+ \.?$/.test(value))
  const found =
    answer.kind === 'no_answer'
      ? silent(answer)
      : answer.kind === 'records' && !isNull
        ? verified('The domain takes mail.')
        : failed(
            `The domain takes no mail${isNull ? ' (null MX)' : ''}: answers to it are lost, and some receivers doubt mail from such a name.`,
          )
  return evidenceOf(line, found, 'at least one MX record')
}
