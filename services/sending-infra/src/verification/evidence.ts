import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { DnsSession } from './dns-client.ts'

/** The question, the server, the answer, the expectation and the verdict of a check, so that it can be reviewed years later. */
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

/** Answers come from untrusted servers, so control characters are replaced and the size is limited. */
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

const answerOf = ({ answer }: DnsSession['queries'][number]): JsonValue =>
  answer.kind === 'records' ? [...answer.values] : answer.kind === 'none' ? [] : { no_answer: answer.why }

/** The evidence of a check that used the provider or no server. */
export const plainEvidence = (evidence: Evidence): JsonObject => storable({ ...evidence }) as JsonObject

/** The evidence of a check that used the DNS: its first query, then the others in order. */
export function dnsEvidence(session: DnsSession, found: Pick<Evidence, 'expected' | 'verdict' | 'detail'>): JsonObject {
  const [first, ...others] = session.queries
  const evidence = {
    question: first?.question ?? '',
    server: session.server,
    answer: first ? answerOf(first) : [],
    expected: found.expected,
    verdict: found.verdict,
    detail: found.detail,
  }
  const otherQueries = others.map((query) => ({ question: query.question, answer: answerOf(query) }))
  return storable({ ...evidence, ...(otherQueries.length === 0 ? {} : { also_asked: otherQueries }) }) as JsonObject
}
