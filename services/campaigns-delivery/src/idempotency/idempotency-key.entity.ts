import { defineEntity, p } from '@mikro-orm/core'
import { execute, row, sql, type Em } from '@lettergate/database'
import { keyTaken } from './idempotency.ts'

export const IdempotencyKeys = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    workspaceId: p.uuid().primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    fingerprint: p.text(),
    resourceId: p.uuid(),
    createdAt: p.datetime(),
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
  const known = await row<{ fingerprint: string; resource_id: string }>(
    em,
    sql`select fingerprint, resource_id from idempotency_keys
         where workspace_id = ${workspaceId} and operation = ${operation} and key = ${key}`,
  )
  if (known && known.fingerprint !== fingerprint) throw keyTaken()
  return known?.resource_id
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
  const taken = await execute(
    em,
    sql`insert into idempotency_keys (workspace_id, operation, key, fingerprint, resource_id)
        values (${workspaceId}, ${operation}, ${key}, ${fingerprint}, ${resourceId}) on conflict do nothing`,
  )
  return taken > 0
}
