import type { IncomingMessage } from 'node:http'
import { sha256Of } from '@lettergate/canonical-json'
import { Fault } from '@lettergate/fault'
import { readQuery } from './check-query.ts'
import type { Plan } from './plan.ts'
import { readJson } from './read-body.ts'
import type { RequestParts } from './transcode-request.ts'
import { hasTooManyValues, refuseInvalid, valuesMax } from './validate.ts'

/** The parts of a request, checked in this order: 422 for headers, query and body, then 404 for a path without an object. */
export async function readRequest(
  plan: Plan,
  req: IncomingMessage,
  params: Record<string, string>,
): Promise<RequestParts> {
  const idempotencyKey = idempotencyKeyOf(plan, req)
  const { url = '' } = req
  const search = url.indexOf('?')
  const query = readQuery(plan.query, search === -1 ? '' : url.slice(search + 1))
  const body = await readBody(plan, req)
  if (!plan.canExist(params)) throw new Fault('not_found', 'path', 'There is nothing at this address.')
  const { organization_slug: _organization, workspace_slug: _workspace, ...path } = plan.pathValues(params)
  return { path, query, body, idempotencyKey, payloadSha256: plan.sendsPayloadSha256 ? sha256Of(body) : undefined }
}

async function readBody(plan: Plan, req: IncomingMessage): Promise<Record<string, unknown>> {
  if (!plan.validateBody) return {}
  const body = await readJson(req, plan.bodyBytesMax)
  const isLarge = hasTooManyValues(body)
  refuseInvalid(isLarge ? plan.validateLargeBody() : plan.validateBody, body)
  // sorting so many values would block other requests, and the caller may be unknown
  if (isLarge && plan.sendsPayloadSha256) {
    throw new Fault('invalid_argument', 'body', `The body holds more than ${valuesMax} values. Send fewer.`)
  }
  return body
}

function idempotencyKeyOf({ idempotency }: Plan, req: IncomingMessage): string | undefined {
  if (!idempotency) return undefined
  const { min, max } = idempotency
  const given = req.headers['idempotency-key']
  if (typeof given !== 'string' || given.length < min || given.length > max || !/^[\x20-\x7e]*$/.test(given)) {
    throw new Fault(
      'invalid_argument',
      'Idempotency-Key',
      `The Idempotency-Key header is required: ${min} to ${max} printable ASCII characters.`,
    )
  }
  return given
}
