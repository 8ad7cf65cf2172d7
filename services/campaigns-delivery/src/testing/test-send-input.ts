import { sha256Of } from '@lettergate/canonical-json'
import { row, sql, type Em } from '@lettergate/database'
import { parseUuid } from '@lettergate/values/uuid'
import { keyTaken, parseIdempotencyKey } from '../idempotency/idempotency.ts'
import { confirmations, requireConfirmation, type TestPurpose } from './conditions.ts'

/** A parsed request for a test send. Conditions are not checked yet. */
export interface TestSendInput {
  purpose: TestPurpose
  /** operation of the idempotency key; a key belongs to one workspace and operation */
  operation: string
  senderIdentityId: string
  contentVersionId: string
  recipientEmail: string
  key: string
  fingerprint: string
}

interface TestRequest {
  senderIdentityId: string
  contentVersionId: string
  recipientEmail: string
  confirmation: string
  idempotencyKey: string
}

const operations = { test_send: 'create_test_send', rehearsal: 'create_rehearsal' } as const

/** Parses a request. Fault `invalid_argument` names the field. */
export function parseTestSend(purpose: TestPurpose, req: TestRequest): TestSendInput {
  const key = parseIdempotencyKey(req.idempotencyKey, 12)
  requireConfirmation(purpose, req.confirmation)
  const { recipientEmail } = req
  const senderIdentityId = parseUuid(req.senderIdentityId) ?? req.senderIdentityId
  const contentVersionId = parseUuid(req.contentVersionId) ?? req.contentVersionId
  return {
    purpose,
    operation: operations[purpose],
    senderIdentityId,
    contentVersionId,
    recipientEmail,
    key,
    fingerprint: sha256Of({
      confirmation: confirmations[purpose],
      sender_identity_id: senderIdentityId,
      content_version_id: contentVersionId,
      recipient_email: recipientEmail,
    }),
  }
}

/** Returns the test send that was created with the key, if any. Fault `conflict` when the key was used for another request. */
export async function findByKey(em: Em, workspaceId: string, input: TestSendInput): Promise<string | undefined> {
  const known = await row<{ fingerprint: string; resource_id: string }>(
    em,
    sql`select fingerprint, resource_id from idempotency_keys
         where workspace_id = ${workspaceId} and operation = ${input.operation} and key = ${input.key}`,
  )
  if (!known) return undefined
  if (known.fingerprint !== input.fingerprint) throw keyTaken()
  return known.resource_id
}
