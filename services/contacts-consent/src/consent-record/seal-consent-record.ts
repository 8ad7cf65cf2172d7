import { columns, sql, statement } from '@lettergate/database'
import { alertBrokenRecord } from './alert-broken-record.ts'
import { UnsealedConsentBatch } from './consent-seal.entity.ts'
import { sealWaiting } from './seal-events.ts'
import type { Ctx } from '../ctx.ts'

/** Each pass has the same ten round trips to the database, however many events it seals. */
const atOnce = 1_000
const passesMax = 20

const selectWaiting = statement('select-workspaces-to-seal', columns(UnsealedConsentBatch, 'workspace_id'))

/** Seals new events of the consent record, workspace by workspace, in up to 20 passes each. Answers `unfinished` if more wait. */
export async function sealConsentRecord(ctx: Ctx): Promise<'finished' | 'unfinished'> {
  const waiting = await ctx.tx((em) =>
    selectWaiting.rows(
      em,
      // One index probe a workspace, however many events wait.
      sql`with recursive waiting as (
            (select workspace_id from unsealed_consent_batches order by workspace_id limit 1)
            union all
            select (select u.workspace_id from unsealed_consent_batches u where u.workspace_id > w.workspace_id
                     order by u.workspace_id limit 1) from waiting w where w.workspace_id is not null)
          select workspace_id from waiting where workspace_id is not null`,
    ),
  )
  let isFinished = true
  for (const { workspace_id: workspaceId } of waiting) {
    const own = ctx.inWorkspace(workspaceId)
    let mayWait = true
    for (let pass = 0; mayWait && pass < passesMax; pass += 1) mayWait = await sealSome(own)
    isFinished &&= !mayWait
  }
  return isFinished ? 'finished' : 'unfinished'
}

/** Answers whether more may be waiting. */
const sealSome = (ctx: Ctx): Promise<boolean> =>
  ctx.tx(async (em) => {
    const { seals, missing } = await sealWaiting(em, ctx.workspaceId, { limit: atOnce })
    if (missing.length > 0) {
      const breaks = missing.map((eventId) => ({ problem: 'removed before it was sealed', eventId }))
      await alertBrokenRecord(em, ctx.workspaceId, breaks)
    }
    return seals.length + missing.length >= atOnce
  })
