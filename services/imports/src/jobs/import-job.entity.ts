import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, sql, type Em, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import type { PayloadOwner } from '../payload/import-chunk.entity.ts'
import type { ImportStatus } from './import-status.ts'

/** How far a worker is. `rows_total` is null until the end of the file was seen once. */
export interface ImportProgress {
  phase: string
  rows_done: number
  rows_total: number | null
}

/** Why an import failed. `gate` names the open gate, if one stopped it. */
export interface ImportError {
  reason: string
  message: string
  gate?: string
}

/** One uploaded file and what happens to it. `sealed_key` is null after the payload was destroyed. */
export const ImportJob = defineEntity({
  name: 'ImportJob',
  tableName: 'import_jobs',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    status: p.text().$type<ImportStatus>().default('uploaded'),
    epoch: p.integer().default(1),
    audienceId: p.uuid(),
    filename: p.text(),
    sourceLabel: p.text(),
    fileSha256: p.text().fieldName('file_sha256'),
    payloadSize: p.integer(),
    chunkCount: p.integer(),
    sealedKey: p.text().nullable(),
    encoding: p.text(),
    delimiter: p.text(),
    headers: p.json<string[]>(),
    mapping: p.json<Record<string, string>>().defaultRaw(`'{}'`),
    consentPolicy: p.text().$type<'review_required' | 'explicit_opt_in' | 'status_column'>().nullable(),
    policy: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    report: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    reportChecksum: p.text().nullable(),
    approvalChecksum: p.text().nullable(),
    requestedByWalletId: p.text(),
    approvedByWalletId: p.text().nullable(),
    correlationId: p.text(),
    attemptCount: p.integer().default(0),
    progress: p.json<ImportProgress>().nullable(),
    suppressionsAppliedThrough: p.integer().default(0),
    rowsAppliedThrough: p.integer().default(0),
    applyNumber: p.smallint().default(0),
    /** the epoch through which contacts-consent has to be told that no batch is written any more */
    stopEpoch: p.integer().nullable(),
    readerVersion: p.smallint().default(1),
    leaseHolder: p.text().nullable(),
    leaseUntil: p.datetime().nullable(),
    error: p.json<ImportError>().nullable(),
    queuedAt: p.datetime().defaultRaw('now()'),
    starts: p.integer().default(0),
    startAfter: p.datetime().defaultRaw('now()'),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
})

export type ImportJobRow = Row<typeof ImportJob>

export const selectImportJobs = (em: Em, workspaceId: string) =>
  kyselyOf(em, ImportJob).selectFrom('import_jobs').selectAll().where('workspace_id', '=', workspaceId)

/** Inserts an import, which expires after so many hours. */
export const insertImportJob = (
  em: Em,
  owner: PayloadOwner,
  made: {
    audienceId: string
    filename: string
    sourceLabel: string
    fileSha256: string
    payloadSize: number
    chunkCount: number
    sealedKey: string
    encoding: string
    delimiter: string
    headers: readonly string[]
    requestedBy: string
    correlationId: string
    hours: number
  },
): Promise<ImportJobRow> =>
  kyselyOf(em, ImportJob)
    .insertInto('import_jobs')
    .values({
      ...owner,
      audience_id: made.audienceId,
      filename: made.filename,
      source_label: made.sourceLabel,
      file_sha256: made.fileSha256,
      payload_size: made.payloadSize,
      chunk_count: made.chunkCount,
      sealed_key: made.sealedKey,
      encoding: made.encoding,
      delimiter: made.delimiter,
      headers: sql`${JSON.stringify(made.headers)}::jsonb`,
      requested_by_wallet_id: made.requestedBy,
      correlation_id: made.correlationId,
      expires_at: sql`now() + ${made.hours} * interval '1 hour'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** The import of this workspace. Throws Fault `not_found`. With `isLocked`, no other transaction changes it until the commit. */
export async function requireJob(
  em: Em,
  workspaceId: string,
  { id, isLocked = false }: { id: string; isLocked?: boolean },
): Promise<ImportJobRow> {
  const job = isUuid(id)
    ? await selectImportJobs(em, workspaceId)
        .where('id', '=', id)
        .$if(isLocked, (select) => select.forUpdate())
        .executeTakeFirst()
    : undefined
  if (job) return job
  throw new Fault('not_found', 'import', 'There is no such import.')
}
