import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { DnsLine } from './dns-questions.ts'

/** What was asked whom, what came back, what was hoped for, and the verdict: enough to judge a check years later. */
export interface Evidence {
  question: string
  server: string
  answer: JsonValue
  expected: string
  verdict: string
  detail: string
}

const answerOf = ({ answer }: DnsLine['asked'][number]): JsonValue =>
  answer.kind === 'records' ? [...answer.values] : answer.kind === 'none' ? [] : { no_answer: answer.why }

/** The evidence of a check that asked the DNS: its first question in front, the others behind it in the order asked. */
export function dnsEvidence(line: DnsLine, found: Pick<Evidence, 'expected' | 'verdict' | 'detail'>): JsonObject {
  const [first, ...others] = line.asked
  return {
    question: first?.question ?? '',
    server: line.server,
    answer: first ? answerOf(first) : [],
    expected: found.expected,
    verdict: found.verdict,
    detail: found.detail,
    ...(others.length === 0
      ? {}
      : { also_asked: others.map((asked) => ({ question: asked.question, answer: answerOf(asked) })) }),
  }
}

/** The evidence of a check that asked the provider, or nobody. */
export const plainEvidence = (evidence: Evidence): JsonObject => ({ ...evidence })
