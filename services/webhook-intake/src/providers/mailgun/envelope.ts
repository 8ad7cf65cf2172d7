import { hash } from 'node:crypto'
import { canonicalJson } from '@lettergate/canonical-json'
import { Fault } from '@lettergate/fault'
import { HttpFault } from '@lettergate/http'
import type { Signature } from './signature.ts'

/** The two parts of a webhook body, not verified yet. */
export interface Envelope {
  signature: Signature
  eventData: Record<string, unknown>
}

const unreadable = (message: string, cause?: unknown) =>
  new Fault('invalid_argument', 'unreadable_body', message, { cause })
const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch (error) {
    throw unreadable('The body is not UTF-8. Send it as UTF-8.', error)
  }
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unreadable(`${what} is not valid JSON. Correct it and send it again.`, error)
  }
}

const asRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined

const depthMax = 64

/** Checks the depth without recursion, so that a deep body cannot exhaust the stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}

function envelopeOf(fields: { signature: unknown; eventData: unknown }): Envelope {
  const signature = asRecord(fields.signature)
  const eventData = asRecord(fields.eventData)
  if (signature === undefined)
    throw new Fault(
      'invalid_argument',
      'signature',
      'signature is missing or no object. Send signature with timestamp, token and signature.',
    )
  if (eventData === undefined)
    throw new Fault(
      'invalid_argument',
      'event-data',
      'event-data is missing or no object. Send event-data with id, event and timestamp.',
    )
  if (isTooDeep(eventData))
    throw unreadable(`event-data is nested more than ${depthMax} levels deep. Send it as the provider made it.`)
  const { timestamp, token, signature: hex } = signature
  for (const [name, value] of Object.entries({ timestamp, token, signature: hex })) {
    if (typeof value !== 'string' || value === '' || value.length > 300) {
      throw new Fault(
        'invalid_argument',
        `signature.${name}`,
        `signature.${name} is missing or no text. Send timestamp, token and signature as texts.`,
      )
    }
  }
  return { signature: { timestamp, token, signature: hex } as Signature, eventData }
}

const formFieldsMax = 100

/** Counts separators in the bytes, because parsing a megabyte of tiny fields takes seconds, and the signature is not verified yet. */
function refuseTooManyFields(body: Buffer, separator: string): void {
  let count = 0
  for (let at = body.indexOf(separator); at !== -1; at = body.indexOf(separator, at + separator.length)) {
    count += 1
    if (count > formFieldsMax)
      throw unreadable(`The form has more than ${formFieldsMax} fields. Send signature and event-data.`)
  }
}

async function formFields(body: Buffer, contentType: string): Promise<FormData | URLSearchParams> {
  const isMultipart = contentType.startsWith('multipart/')
  refuseTooManyFields(body, isMultipart ? '\n--' : '&')
  if (!isMultipart) return new URLSearchParams(decode(body))
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch (error) {
    throw unreadable('The multipart body cannot be read. Send whole parts between the declared boundaries.', error)
  }
}

function formField(fields: FormData | URLSearchParams, name: string): unknown {
  const values = fields.getAll(name)
  if (values.length === 0) return undefined
  const [value] = values
  if (values.length > 1 || typeof value !== 'string')
    throw unreadable(`The form field ${name} must be one text. Send it once, not as a file.`)
  return parseJson(value, `The form field ${name}`)
}

/** Reads a JSON body, or a form whose two fields are JSON texts. 415 for other types, 422 for an unreadable body. */
export async function readEnvelope(body: Buffer, contentType: string | undefined): Promise<Envelope> {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim())
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))
  const known = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].includes(
    type.toLowerCase(),
  )
  if (
    (!known && (type !== '' || body.length > 0)) ||
    (charset !== undefined && !/^charset="?utf-?8"?$/i.test(charset))
  ) {
    throw new HttpFault(
      415,
      'content_type',
      'This content type is not taken. Send UTF-8 as application/json, application/x-www-form-urlencoded or multipart/form-data.',
    )
  }
  if (body.length === 0) throw unreadable('The body is empty. Send the event with its signature.')
  if (type.toLowerCase() === 'application/json') {
    const value = asRecord(parseJson(decode(body), 'The body'))
    if (value === undefined) throw unreadable('The body is no JSON object. Send signature and event-data.')
    return envelopeOf({ signature: value['signature'], eventData: value['event-data'] })
  }
  const fields = await formFields(body, contentType!)
  return envelopeOf({ signature: formField(fields, 'signature'), eventData: formField(fields, 'event-data') })
}

/** A digest of the event's content, independent of encoding, key order and signature: SHA-256 of its RFC 8785 JSON. */
export function contentDigest(eventData: Record<string, unknown>): Buffer {
  return hash('sha256', canonicalText(eventData), 'buffer')
}

function canonicalText(eventData: Record<string, unknown>): string {
  try {
    return canonicalJson(eventData)
  } catch {
    // RFC 8785 cannot represent a lone surrogate or a number that is too large for a double; both may occur in an event.
    return JSON.stringify(eventData)
  }
}
