import { rows, sql } from '@lettergate/database'
import { alertBrokenRecord } from './alert-broken-record.ts'
import { sealWaiting } from './seal-events.ts'
import type { Ctx } from '../ctx.ts'

/** Small enough that hashing holds up no call for longer than a few milliseconds. */
const atOnce = 250
const passesMax = 40

/** Seals what was added to the consent record, workspace by workspace, up to 10,000 events of each in one run. */
export async function sealConsentRecord(ctx: Ctx): Promise<void> {
  const waiting = await ctx.tx((em) =>
    rows<{ workspace_id: string }>(
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
