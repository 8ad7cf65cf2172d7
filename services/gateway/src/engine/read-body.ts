import type { IncomingMessage } from 'node:http'
import { Fault } from '@lettergate/fault'
import { HttpFault } from '@lettergate/http'
import { readBytes } from '@lettergate/http/read-bytes'
import { refuseUnsafeJson } from './unsafe-json.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Whether the declared content type is JSON in UTF-8. */
function refuseOtherContent(req: IncomingMessage): void {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  const encoding = (req.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (
    type !== 'application/json' ||
    (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') ||
    encoding !== 'identity'
  ) {
    throw new HttpFault(
      415,
      'content_type',
      'This operation takes application/json in UTF-8, not compressed. Set the Content-Type header to application/json.',
    )
  }
}

/** Parses the body as a JSON object; a missing body is an empty object, so that validation names the missing fields. */
export async function readJson(req: IncomingMessage, bytesMax: number): Promise<Record<string, unknown>> {
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
  if (!hasBody) return {}
  refuseOtherContent(req)
  const bytes = await readBytes(req, bytesMax)
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    const json = decoder.decode(bytes)
    value = JSON.parse(json)
    refuseUnsafeJson(json, value)
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new HttpFault(
      400,
      'malformed_json',
      'The body is not valid JSON in UTF-8. Check it with a JSON parser and send it again.',
      { cause: error },
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('invalid_argument', 'body', 'The body must be a JSON object.')
  }
  return value as Record<string, unknown>
}
