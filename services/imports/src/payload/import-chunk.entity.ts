import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, sql, statement, type Em } from '@lettergate/database'

/** One encrypted part of an uploaded file. */
export const ImportChunk = defineEntity({
  name: 'ImportChunk',
  tableName: 'import_chunks',
  properties: {
    workspaceId: p.uuid().primary(),
    jobId: p.uuid().primary(),
    position: p.integer().primary(),
    ciphertext: p.blob(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

export interface PayloadOwner {
  workspace_id: string
  id: string
}

/** One encrypted part at its place in the file. */
export interface SealedChunk {
  readonly position: number
  readonly ciphertext: Buffer
}

/** Stores chunks; there must be at least one. */
export async function insertChunks(em: Em, owner: PayloadOwner, chunks: readonly SealedChunk[]): Promise<void> {
  await kyselyOf(em, ImportChunk)
    .insertInto('import_chunks')
    .values(chunks.map((chunk) => ({ workspace_id: owner.workspace_id, job_id: owner.id, ...chunk })))
    .execute()
}

/** Answers at most `most` chunks from this position on, in their order. */
export const selectChunks = (em: Em, owner: PayloadOwner, { from, most }: { from: number; most: number }) =>
  kyselyOf(em, ImportChunk)
    .selectFrom('import_chunks')
    .select(['position', 'ciphertext'])
    .where('workspace_id', '=', owner.workspace_id)
    .where('job_id', '=', owner.id)
    .where('position', '>=', from)
    .orderBy('position')
    .limit(most)
    .execute()

/** Answers how many chunks of this import are stored. */
export async function countChunks(em: Em, owner: PayloadOwner): Promise<number> {
  const { count } = await kyselyOf(em, ImportChunk)
    .selectFrom('import_chunks')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('workspace_id', '=', owner.workspace_id)
    .where('job_id', '=', owner.id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes every chunk of this import. */
export async function deleteChunks(em: Em, owner: PayloadOwner): Promise<void> {
  await kyselyOf(em, ImportChunk)
    .deleteFrom('import_chunks')
    .where('workspace_id', '=', owner.workspace_id)
    .where('job_id', '=', owner.id)
    .execute()
}

const deleteLeft = statement('delete-chunks-of-upload')
const deleteUnowned = statement('delete-unowned-import-chunks')

/** Deletes the chunks of an upload, unless the import was written: an error of the commit does not say whether it was. */
export async function deleteChunksWithoutImport(em: Em, owner: PayloadOwner): Promise<void> {
  await deleteLeft.execute(
    em,
    sql`delete from import_chunks where workspace_id = ${owner.workspace_id} and job_id = ${owner.id}
           and not exists (select from import_jobs where workspace_id = ${owner.workspace_id} and id = ${owner.id})`,
  )
}

/**
 * Deletes at most `most` chunks without an import, which a process left that ended during an upload. No key decrypts them. An
 * upload takes less than `minutes`, so chunks of uploads in progress stay. Answers how many.
 */
export const deleteUnownedChunks = (em: Em, { minutes, most }: { minutes: number; most: number }): Promise<number> =>
  deleteUnowned.execute(
    em,
    sql`with unowned as (
          select workspace_id, job_id, position from import_chunks c
           where c.created_at < now() - ${minutes} * interval '1 minute'
             and not exists (select from import_jobs j where j.workspace_id = c.workspace_id and j.id = c.job_id)
           limit ${most} for update skip locked)
        delete from import_chunks c using unowned u
         where c.workspace_id = u.workspace_id and c.job_id = u.job_id and c.position = u.position`,
  )
