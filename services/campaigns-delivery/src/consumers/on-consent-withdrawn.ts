import { ConsentWithdrawnSchema } from '@lettergate/contracts/events/v1/events'
import { execute, newId, sql } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'

/** Remembers when people withdrew, so that a report can put unsubscribes down to the run they followed. */
export const onConsentWithdrawn = consumer({
  name: 'on-consent-withdrawn',
  from: 'contacts-consent',
  event: ConsentWithdrawnSchema,
  batch: 200,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      const news = await firstTime(em, events)
      if (news.length === 0) return
      await execute(
        em,
        sql`insert into consent_withdrawals (workspace_id, id, contact_id, audience_id, withdrawn_at)
            select ${ctx.workspaceId}::uuid, t.* from unnest(${news.map(() => newId())}::uuid[], ${news.map(({ data }) => data.contactId)}::uuid[],
              ${news.map(({ data }) => data.audienceId ?? null)}::uuid[], ${news.map(({ time }) => time)}::timestamptz[]) as t`,
      )
    })
  },
})
