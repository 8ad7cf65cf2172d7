import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, type Em } from '@lettergate/database'
import { keyTaken } from '@lettergate/values/idempotency-key'

export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    workspaceId: p.uuid().primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    fingerprint: p.text(),
    resourceId: p.uuid(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

/** A request with an idempotency key. */
export interface KeyedRequest {
  operation: string
  key: string
  /** hash of all fields of the request */
  fingerprint: string
}

/** Returns the resource that was created with the key, if any. Fault `conflict` when the key was used for another request. */
export async function findByKey(em: Em, workspaceId: string, request: KeyedRequest): Promise<string | undefined> {
  const { operation, key, fingerprint } = request
  const known = await em.findOne(IdempotencyKey, { workspaceId, operation, key })
  if (known && known.fingerprint !== fingerprint) throw keyTaken()
  return known?.resourceId
}

/**
 * Takes the key for the resource of this transaction. Waits for a concurrent transaction with the same key. Returns whether
 * the key was free.
 */
export async function takeKey(
  em: Em,
  workspaceId: string,
  request: KeyedRequest & { resourceId: string },
): Promise<boolean> {
  const { operation, key, fingerprint, resourceId } = request
  const { numInsertedOrUpdatedRows: taken } = await kyselyOf(em, IdempotencyKey)
    .insertInto('idempotency_keys')
    .values({ workspace_id: workspaceId, operation, key, fingerprint, resource_id: resourceId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return taken === 1n
}
