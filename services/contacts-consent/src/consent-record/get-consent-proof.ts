import type { JsonObject } from '@bufbuild/protobuf'
import type {
  GetConsentProofRequest,
  GetConsentProofResponseSchema,
} from '@lettergate/contracts/contacts/v1/consent_proof'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { alertBrokenRecord } from './alert-broken-record.ts'
import { readProof } from './read-proof.ts'
import { sealWaiting } from './seal-events.ts'
import type { Ctx } from '../ctx.ts'
import { lockContacts } from './lock-contacts.ts'
import { signProof, type ConsentProof } from './consent-proof.ts'
import { notFound, pathId } from '../values/ids.ts'
import { recordFindings } from './verify-consent-proof.ts'

/** More events than a real contact has. It keeps the answer within the message size limit. */
const eventsMax = 5_000
const bytesMax = 12 * 1024 * 1024

/**
 * A signed file that shows why a person may or may not be mailed, and that can be verified offline. It first seals the remaining
 * events of the contact, and refuses if the record does not match its seals. Each export is audited with the hashes.
 */
export async function getConsentProof(
  ctx: Ctx,
  req: GetConsentProofRequest,
): Promise<Reply<typeof GetConsentProofResponseSchema>> {
  const contactId = pathId('contact', req.contactId)
  const proof = await ctx.tx((em) => exportProof(ctx, em, contactId), { statementTimeoutMs: 10_000, isLong: true })
  if (proof === 'broken') {
    throw new Fault(
      'failed_precondition',
      'consent_record_broken',
      'The consent record of this contact does not fit its seals, so nothing is exported. The platform has been alerted; ask its operator.',
    )
  }
  const size = Buffer.byteLength(JSON.stringify(proof))
  if (size > bytesMax) {
    throw new Fault(
      'failed_precondition',
      'proof_too_large',
      `The proof of this contact has ${Math.ceil(size / 1024 / 1024)} MiB, more than one answer may carry. Ask the operator of the platform for an export.`,
    )
  }
  return { proof: proof as unknown as JsonObject }
}

async function exportProof(ctx: Ctx, em: Em, contactId: string): Promise<ConsentProof | 'broken'> {
  const { workspaceId, config } = ctx
  // The lock makes verdicts and record consistent.
  await lockContacts(em, workspaceId, [contactId])
  const { missing } = await sealWaiting(em, workspaceId, { limit: eventsMax, contactId, mayWait: true })
  const reading = await readProof(em, workspaceId, contactId)
  if (!reading) throw notFound('contact')
  const proof = signProof(reading.content, reading.head, config.consentProofKeys[0], ctx.now())
  const breaks = [
    ...missing.map((eventId) => ({ problem: 'removed before it was sealed', eventId })),
    ...reading.breaks,
    ...recordFindings(proof).map((problem) => ({ problem })),
  ]
  if (breaks.length > 0) {
    await alertBrokenRecord(em, workspaceId, breaks)
    return 'broken'
  }
  // The audit log is in another schema, so changing the record here does not change the hashes there.
  const { contact_events, contact_sha256, position, sha256, content_sha256, key_id } = proof.head
  await publish(em, AuditRecordedSchema, {
    action: 'consent_proof_exported',
    subjectType: 'contact',
    subjectId: contactId,
    actor: ctx.caller.actor,
    detail: { contact_events, contact_sha256, position, sha256, content_sha256, key_id },
  })
  return proof
}
