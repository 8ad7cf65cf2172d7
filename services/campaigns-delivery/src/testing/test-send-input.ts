import { sha256Of } from '@lettergate/canonical-json'
import { parseUuid } from '@lettergate/values/uuid'
import type { KeyedRequest } from '../idempotency/idempotency-key.entity.ts'
import { parseIdempotencyKey } from '@lettergate/values/idempotency-key'
import { confirmations, requireConfirmation, type TestPurpose } from './conditions.ts'

/** A parsed request for a test send. Conditions are not checked yet. */
export interface TestSendInput extends KeyedRequest {
  purpose: TestPurpose
  senderIdentityId: string
  contentVersionId: string
  recipientEmail: string
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
