import { row, rows, sql, type Em } from '@lettergate/database'
import type { BatchKey } from './intent.ts'

/** A run that is being sent, and those of one batch who still wait. */
export interface PendingBatch {
  run: {
    sender_identity_id: string
    content_version_id: string
    correlation_id: string
    trace: Record<string, string>
    /** where its messages went last */
    connection_id: string | null
    domain_name: string | null
  }
  isSingles: boolean
  /** calls that the connection has under way */
  calls: number
  /** the database's time before anybody was asked about these people */
  judgedAt: string
  recipients: { id: string; contact_id: string; audience_id: string }[]
}

/** What waits in a batch; undefined when nothing does, or its run is not being sent. */
export async function readBatch(em: Em, { workspaceId, runId, batch }: BatchKey): Promise<PendingBatch | undefined> {
  const run = await row<PendingBatch['run'] & { is_singles: boolean; calls: number; judged_at: string }>(
    em,
    sql`select r.sender_identity_id, r.content_version_id, r.correlation_id, r.trace, r.connection_id, r.domain_name, b.is_singles, clock_timestamp() as judged_at,
               (select count(*)::int from hand_offs h where h.workspace_id = r.workspace_id and h.connection_id = r.connection_id and h.state = 'claimed') as calls
          from campaign_runs r join delivery_batches b on b.run_id = r.id and b.batch = ${batch}
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending' and b.workspace_id = ${workspaceId} and b.done_at is null`,
  )
  if (!run) return undefined
  const recipients = await rows<PendingBatch['recipients'][number]>(
    em,
    sql`select id, contact_id, audience_id from run_recipients
         where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch} and state = 'pending' order by id`,
  )
  return { run, isSingles: run.is_singles, calls: run.calls, judgedAt: run.judged_at, recipients }
}
