import type {
  UploadImportForm,
  UploadImportRequest,
  UploadImportResponseSchema,
} from '@lettergate/contracts/imports/v1/imports'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { requiredText } from '@lettergate/values/text'
import { parseUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { countChunks, type PayloadOwner } from '../payload/import-chunk.entity.ts'
import { payloadUnreadable, requirePayloadKeys } from '../payload/payload-key.ts'
import { discardPayload, storePayload, type StoredPayload } from '../payload/store-payload.ts'
import type { FileFormat } from '../reading/file-format.ts'
import { inspectHead } from '../reading/inspect-head.ts'
import { openTextCheck, requireText, type TextCheck } from '../reading/text-check.ts'
import { cleanFilename } from './filename.ts'
import { ImportJob, insertImportJob, type ImportJobRow } from './import-job.entity.ts'
import { importReply } from './import-reply.ts'

/**
 * Stores a CSV file encrypted while it arrives, and makes an import of it. Every place of the file must be text in its encoding,
 * and its audience must be live. After any refusal, and when the stream breaks off, nothing is kept.
 */
export async function uploadImport(
  ctx: Ctx,
  requests: AsyncIterable<UploadImportRequest>,
): Promise<Reply<typeof UploadImportResponseSchema>> {
  requirePayloadKeys(ctx.config.importKeys)
  await ctx.tx((em) => requireRoom(em, ctx.workspaceId))
  const owner = { workspace_id: ctx.workspaceId, id: newId() }
  try {
    const job = await receive(ctx, owner, requests)
    ctx.metrics.uploads.inc({ outcome: 'stored' })
    ctx.metrics.uploadedBytes.inc(job.payload_size)
    return { import: importReply(job) }
  } catch (error) {
    ctx.metrics.uploads.inc({ outcome: error instanceof Fault && error.code !== 'unavailable' ? 'refused' : 'broken' })
    await discardPayload(ctx, owner)
    throw error
  }
}

async function receive(
  ctx: Ctx,
  owner: PayloadOwner,
  requests: AsyncIterable<UploadImportRequest>,
): Promise<ImportJobRow> {
  const check = openTextCheck()
  let form: UploadImportForm | undefined
  async function* fileOf() {
    for await (const { part } of requests) {
      if (form || part.case === undefined) throw cutOff()
      if (part.case === 'form') form = part.value
      else yield part.value
    }
    // A broken stream can end like a complete one. Only the form says that the file is complete.
    if (!form) throw cutOff()
  }
  const payload = await storePayload(ctx, owner, { bytes: fileOf(), onPlain: (plain) => check.next(plain) })
  const fields = parseForm(form!)
  const format = await formatOf(check, payload, fields.encoding)
  await requireLiveAudience(ctx, fields.audienceId)
  return ctx.tx(async (em) => {
    await requireRoom(em, ctx.workspaceId)
    // A purge may have taken chunks of an upload that was stopped for long.
    if ((await countChunks(em, owner)) !== payload.chunkCount) throw payloadUnreadable()
    const { actor, correlationId } = ctx.caller
    const job = await insertImportJob(em, owner, {
      ...fields,
      ...payload,
      ...format,
      requestedBy: actor,
      correlationId,
      hours: ctx.config.importTtlHours,
    })
    await publish(em, AuditRecordedSchema, {
      action: 'import_uploaded',
      subjectType: 'import',
      subjectId: job.id,
      actor,
      detail: { audience_id: job.audience_id, file_sha256: job.file_sha256, payload_size: job.payload_size },
    })
    return job
  })
}

/** Imports of a workspace that have not ended. Each keeps a file until then. */
const openImportsMax = 50

async function requireRoom(em: Em, workspaceId: string): Promise<void> {
  const open = await kyselyOf(em, ImportJob)
    .selectFrom('import_jobs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('sealed_key', 'is not', null)
    .limit(openImportsMax)
    .execute()
  if (open.length < openImportsMax) return
  throw new Fault(
    'failed_precondition',
    'open_imports',
    `This workspace has ${openImportsMax} imports that have not ended. Complete or cancel one of them, then upload the file again.`,
  )
}

const cutOff = () =>
  new Fault('unavailable', 'upload_cut', 'The upload ended before it was complete. Upload the file again.')

function parseForm(form: UploadImportForm) {
  const audienceId = parseUuid(form.audienceId)
  if (audienceId === undefined) throw new Fault('invalid_argument', 'audience_id', 'audience_id must be a UUID.')
  return {
    audienceId,
    sourceLabel: requiredText('source_label', form.sourceLabel),
    filename: cleanFilename(form.filename),
    encoding: form.encoding,
  }
}

/** The encoding, the delimiter and the headers. Throws Fault `invalid_argument` for a file that is no text, wherever it is not. */
async function formatOf(check: TextCheck, payload: StoredPayload, declared: string | undefined): Promise<FileFormat> {
  const format = inspectHead(check.head(), declared)
  if (!check.isChecked(format.encoding)) await requireText(payload.read(), format.encoding)
  return format
}

async function requireLiveAudience(ctx: Ctx, audienceId: string): Promise<void> {
  const { audienceState } = await ctx.contacts.describeImportTarget(ctx, { audienceId })
  if (audienceState === 'live') return
  if (audienceState === 'archived')
    throw new Fault(
      'failed_precondition',
      'audience_archived',
      'This audience is archived and takes no contacts. Choose another one.',
    )
  throw new Fault('invalid_argument', 'audience_id', 'audience_id names nothing in this workspace.')
}
