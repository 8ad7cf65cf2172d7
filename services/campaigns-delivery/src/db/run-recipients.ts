import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'

export const RunRecipients = defineEntity({
  name: 'RunRecipient',
  tableName: 'run_recipients',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    runId: p.uuid(),
    batch: p.integer(),
    contactId: p.uuid(),
    audienceId: p.uuid(),
    normalizedEmail: p.text(),
    state: p.text().$type<'pending' | 'claimed' | 'skipped' | 'failed'>(),
    handOffId: p.uuid().nullable(),
    attempt: p.smallint(),
    reasons: p.array().nullable(),
    acceptedAt: p.datetime().nullable(),
    deliveredAt: p.datetime().nullable(),
    softFailedAt: p.datetime().nullable(),
    hardBouncedAt: p.datetime().nullable(),
    providerSuppressedAt: p.datetime().nullable(),
    complainedAt: p.datetime().nullable(),
    openedAt: p.datetime().nullable(),
    clickedAt: p.datetime().nullable(),
    unsubscribedAt: p.datetime().nullable(),
  },
})

/** Any fact is proof that the provider has the message, whatever became of our own call. */
export const hasFact = sql`coalesce(r.accepted_at, r.delivered_at, r.soft_failed_at, r.hard_bounced_at, r.provider_suppressed_at, r.complained_at, r.opened_at, r.clicked_at, r.unsubscribed_at) is not null`

/** Sent means accepted by the provider: its answer said so, or an event about the message did. */
export const isSent = sql`(r.state = 'claimed' and (h.state = 'accepted' or ${hasFact}))`

/** How many of a run's recipients were sent to, and how many failed for good. One pass over the run. */
export async function countSent(em: Em, workspaceId: string, runId: string): Promise<{ sent: number; failed: number }> {
  const counts = await row<{ sent: number; failed: number }>(
    em,
    sql`select count(*) filter (where ${isSent})::int as sent, count(*) filter (where r.state = 'failed')::int as failed
          from run_recipients r left join hand_offs h on h.workspace_id = r.workspace_id and h.id = r.hand_off_id
         where r.workspace_id = ${workspaceId} and r.run_id = ${runId}`,
  )
  return counts ?? { sent: 0, failed: 0 }
}
