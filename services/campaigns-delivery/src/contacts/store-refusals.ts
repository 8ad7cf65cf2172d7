import { firstTime } from '@lettergate/events'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { owePersonEvents, type PersonEvent } from '../person-events/owe-person-events.ts'
import { recordWithdrawals } from './consent-withdrawal.entity.ts'
import { recordRefusals } from './heard-refusal.entity.ts'

interface RefusalEvent {
  id: string
  data: { contactId: string; audienceId?: string }
}

/**
 * Stores that these contacts may no longer be sent to, so that an older verdict about them is not used. Where
 * `withdrawnAtOf` returns a time, the contact withdrew consent at that time, and reports attribute it to a run.
 * `personEventsOf` returns what the campaign webhook may be owed.
 */
export async function storeRefusals<E extends RefusalEvent>(
  ctx: Ctx,
  events: readonly E[],
  withdrawnAtOf: (event: E) => Date | undefined,
  personEventsOf: (event: E) => PersonEvent[] = () => [],
): Promise<void> {
  await ctx.tx(async (em) => {
    const refused = (await firstTime(em, events)).filter(({ data }) => isUuid(data.contactId))
    await recordRefusals(
      em,
      ctx.workspaceId,
      refused.map(({ data }) => data.contactId),
    )
    const withdrawals = refused.flatMap((event) => {
      const { contactId, audienceId = null } = event.data
      const at = withdrawnAtOf(event)
      return at === undefined ? [] : [{ contactId, audienceId, at }]
    })
    await recordWithdrawals(em, ctx.workspaceId, withdrawals)
    await owePersonEvents(em, ctx.workspaceId, refused.flatMap(personEventsOf))
  })
}
