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

const charactersMax = 2_000
const itemsMax = 30

/** Answers come from strangers: made fit for storing and showing, without control characters and of bounded size. */
function storable(value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    return value
      .slice(0, charactersMax)
      .replaceAll(/\p{Cc}/gu, '\ufffd')
      .toWellFormed()
  }
  if (Array.isArray(value)) return value.slice(0, itemsMax).map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, storable(inside)]))
}

const answerOf = ({ answer }: DnsLine['asked'][number]): JsonValue =>
  answer.kind === 'records' ? [...answer.values] : answer.kind === 'none' ? [] : { no_answer: answer.why }

/** The evidence of a check that asked the provider, or nobody. */
export const plainEvidence = (evidence: Evidence): JsonObject => storable({ ...evidence }) as JsonObject

/** The evidence of a check that asked the DNS: its first question in front, the others behind it in the order asked. */
export function dnsEvidence(line: DnsLine, found: Pick<Evidence, 'expected' | 'verdict' | 'detail'>): JsonObject {
  const [first, ...others] = line.asked
  const evidence = {
    question: first?.question ?? '',
    server: line.server,
    answer: first ? answerOf(first) : [],
    expected: found.expected,
    verdict: found.verdict,
    detail: found.detail,
  }
  const alsoAsked = others.map((asked) => ({ question: asked.question, answer: answerOf(asked) }))
  return storable({ ...evidence, ...(alsoAsked.length === 0 ? {} : { also_asked: alsoAsked }) }) as JsonObject
}
