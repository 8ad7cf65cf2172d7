import { columns, sql, statement } from '@lettergate/database'
import { alertBrokenRecord } from './alert-broken-record.ts'
import { UnsealedConsentEvent } from './consent-seal.entity.ts'
import { sealWaiting } from './seal-events.ts'
import type { Ctx } from '../ctx.ts'

/** Each pass has the same eight round trips to the database, however many events it seals. */
const atOnce = 1_000
const passesMax = 10

const selectWaiting = statement('select-workspaces-to-seal', columns(UnsealedConsentEvent, 'workspace_id'))

/** Seals new events of the consent record, workspace by workspace, up to 10,000 events each in one run. */
export async function sealConsentRecord(ctx: Ctx): Promise<void> {
  const waiting = await ctx.tx((em) =>
    selectWaiting.rows(
      em,
      // One index probe a workspace, however many events wait.
      sql`with recursive waiting as (
            (select workspace_id from unsealed_consent_events order by workspace_id limit 1)
            union all
            select (select u.workspace_id from unsealed_consent_events u where u.workspace_id > w.workspace_id
                     order by u.workspace_id limit 1) from waiting w where w.workspace_id is not null)
          select workspace_id from waiting where workspace_id is not null`,
    ),
  )
  for (const { workspace_id: workspaceId } of waiting) {
    const own = ctx.inWorkspace(workspaceId)
    for (let pass = 0; pass < passesMax; pass += 1) if (!(await sealSome(own))) break
  }
}

/** Answers whether more may be waiting. */
const sealSome = (ctx: Ctx): Promise<boolean> =>
  ctx.tx(async (em) => {
    const { seals, missing } = await sealWaiting(em, ctx.workspaceId, { limit: atOnce })
    if (missing.length > 0) {
      const breaks = missing.map((eventId) => ({ problem: 'removed before it was sealed', eventId }))
      await alertBrokenRecord(em, ctx.workspaceId, breaks)
    }
    return seals.length + missing.length === atOnce
  })
