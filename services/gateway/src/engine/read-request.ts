import type { IncomingMessage } from 'node:http'
import { sha256Of } from '@lettergate/canonical-json'
import { Fault } from '@lettergate/fault'
import { readQuery } from './check-query.ts'
import type { Plan } from './plan.ts'
import { readJson } from './read-body.ts'
import type { RequestParts } from './transcode-request.ts'
import { isCrowded, refuseInvalid, valuesMax } from './validate.ts'

/** What a request says, in the order of the checks: 422 for headers, query and body, then 404 for a path that names nothing. */
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
  if (!plan.namesSomething(params)) throw new Fault('not_found', 'path', 'There is nothing at this address.')
  const { organization_slug: _organization, workspace_slug: _workspace, ...path } = plan.pathValues(params)
  return { path, query, body, idempotencyKey, payloadSha256: plan.handsOnPayloadSha256 ? sha256Of(body) : undefined }
}

async function readBody(plan: Plan, req: IncomingMessage): Promise<Record<string, unknown>> {
  if (!plan.validateBody) return {}
  const body = await readJson(req, plan.bodyBytesMax)
  const crowded = isCrowded(body)
  refuseInvalid(crowded ? plan.validateCrowdedBody() : plan.validateBody, body)
  // to sort and to write out that many would hold up everybody else, for a caller who may be nobody
  if (crowded && plan.handsOnPayloadSha256) {
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
