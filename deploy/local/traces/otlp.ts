/** The stored part of a span. Times are nanoseconds since 1970. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** empty for a root */
  readonly parentId: string
  readonly service: string
  readonly name: string
  readonly kind: SpanKind
  readonly start: bigint
  readonly end: bigint
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, AttributeValue>>
  /** other spans that led to this one, `trace/span` ids */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
}

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'
export type AttributeValue = string | number | boolean | readonly string[]

/** The body is not an OTLP/JSON export; the message names the place. */
export class Unreadable extends Error {}

const kinds: Readonly<Record<number, SpanKind>> = { 2: 'server', 3: 'client', 4: 'producer', 5: 'consumer' }
const errorStatus = 2
const textMax = 2_000

/**
 * Reads an ExportTraceServiceRequest in OTLP/JSON (opentelemetry-proto, "JSON Protobuf Encoding"): ids are hex, 64-bit
 * numbers are strings. Long attribute texts are cut. Throws Unreadable for anything else.
 */
export function readExport(body: unknown): Span[] {
  return list(body, 'resourceSpans').flatMap((resource) => {
    const owner = attributesOf(object(object(resource)['resource'] ?? {}))['service.name']
    const service = typeof owner === 'string' ? owner : 'unknown'
    return list(resource, 'scopeSpans').flatMap((scope) => list(scope, 'spans').map((span) => readSpan(service, span)))
  })
}

function readSpan(service: string, value: unknown): Span {
  const span = object(value)
  const status = object(span['status'] ?? {})
  return {
    traceId: id(span['traceId'], 32, 'traceId'),
    spanId: id(span['spanId'], 16, 'spanId'),
    parentId: span['parentSpanId'] ? id(span['parentSpanId'], 16, 'parentSpanId') : '',
    service,
    name: text(span['name']),
    kind: kinds[Number(span['kind'])] ?? 'internal',
    start: nanoseconds(span['startTimeUnixNano'], 'startTimeUnixNano'),
    end: nanoseconds(span['endTimeUnixNano'], 'endTimeUnixNano'),
    failed: status['code'] === errorStatus || status['code'] === 'STATUS_CODE_ERROR',
    attributes: attributesOf(span),
    links: list(span, 'links').map((link) => ({
      traceId: id(object(link)['traceId'], 32, 'links.traceId'),
      spanId: id(object(link)['spanId'], 16, 'links.spanId'),
    })),
  }
}

function attributesOf(holder: Record<string, unknown>): Record<string, AttributeValue> {
  return Object.fromEntries(
    list(holder, 'attributes').map((entry) => {
      const { key, value } = object(entry)
      return [text(key), attributeValue(object(value ?? {}))]
    }),
  )
}

function attributeValue(value: Record<string, unknown>): AttributeValue {
  if (value['stringValue'] !== undefined) return text(value['stringValue'])
  if (typeof value['boolValue'] === 'boolean') return value['boolValue']
  if (value['intValue'] !== undefined) return Number(value['intValue'])
  if (value['doubleValue'] !== undefined) return Number(value['doubleValue'])
  if (value['arrayValue'] !== undefined)
    return list(value['arrayValue'], 'values').map((item) => String(attributeValue(object(item))))
  return ''
}

const text = (value: unknown) => {
  const whole = typeof value === 'string' ? value : ''
  return whole.length > textMax ? `${whole.slice(0, textMax)}…` : whole
}

function object(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Unreadable('An object was expected where there is something else.')
  return value as Record<string, unknown>
}

function list(holder: unknown, name: string): unknown[] {
  const value = object(holder)[name] ?? []
  if (!Array.isArray(value)) throw new Unreadable(`${name} has to be a list.`)
  return value
}

function id(value: unknown, length: 16 | 32, name: string): string {
  if (typeof value === 'string' && value.length === length && /^[0-9a-f]+$/i.test(value)) return value.toLowerCase()
  throw new Unreadable(`${name} has to be ${length} hexadecimal digits.`)
}

function nanoseconds(value: unknown, name: string): bigint {
  const written = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof written === 'string' && /^\d{1,20}$/.test(written)) return BigInt(written)
  throw new Unreadable(`${name} has to be nanoseconds since 1970, as a decimal string.`)
}
