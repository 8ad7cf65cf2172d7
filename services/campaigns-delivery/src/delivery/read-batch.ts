import {
  column,
  columns,
  lastRead,
  prepared,
  sql,
  statement,
  unplanned,
  type Em,
  type Row,
  type RowOf,
} from '@lettergate/database'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import type { RunRecipient } from '../runs/run-recipient.entity.ts'
import type { BatchKey } from './hand-off.ts'

const runColumns = columns(
  CampaignRun,
  'sender_identity_id',
  'content_version_id',
  'correlation_id',
  'trace',
  // the route of its last messages
  'connection_id',
  'domain_name',
)
const selectBatch = statement('select-open-batch', {
  ...runColumns,
  judged_at: column.timestamptz(),
  calls: column.integer(),
  // ids with commas between them: one text is read faster than a row for each recipient
  ids: column.text(),
  contact_ids: column.text(),
  audience_ids: column.text(),
})

/** A recipient of a batch who is still pending. */
export type PendingRecipient = Pick<Row<typeof RunRecipient>, 'id' | 'contact_id' | 'audience_id'>

/** A run that is being sent and the pending recipients of one batch. */
export interface PendingBatch {
  run: RowOf<typeof runColumns>
  /** calls that the connection has under way */
  calls: number
  /** database time before the verdicts are requested */
  judgedAt: string
  recipients: PendingRecipient[]
}

/** Reads the pending recipients of a batch, ordered by id. Undefined when the batch is done or its run is not being sent. Ends the transaction. */
export async function readBatch(em: Em, key: BatchKey): Promise<PendingBatch | undefined> {
  const { workspaceId, runId, batch } = key
  const found = await selectBatch.row(
    em,
    lastRead(sql`select r.sender_identity_id, r.content_version_id, r.correlation_id, r.trace, r.connection_id, r.domain_name, clock_timestamp() as judged_at,
               (select count(*)::int from hand_offs h where h.workspace_id = r.workspace_id and h.connection_id = r.connection_id and h.state = 'claimed') as calls,
               p.ids, p.contact_ids, p.audience_ids
          from campaign_runs r join delivery_batches b on b.run_id = r.id and b.batch = ${batch}
          cross join lateral (
            select coalesce(string_agg(q.id::text, ','), '') as ids, coalesce(string_agg(q.contact_id::text, ','), '') as contact_ids,
                   coalesce(string_agg(q.audience_id::text, ','), '') as audience_ids
              from (select r.id, r.contact_id, r.audience_id ${pendingOf(key)} order by r.id) q) p
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending' and b.workspace_id = ${workspaceId} and b.done_at is null`),
  )
  if (!found) return undefined
  const { calls, judged_at: judgedAt, ids, contact_ids, audience_ids, ...run } = found
  const [contactIds, audienceIds] = [idsIn(contact_ids), idsIn(audience_ids)]
  const recipients = idsIn(ids).map((id, at) => ({ id, contact_id: contactIds[at]!, audience_id: audienceIds[at]! }))
  return { run, calls, judgedAt, recipients }
}

const idsIn = (text: string): string[] => (text === '' ? [] : text.split(','))

const selectPendingIds = statement('select-pending-ids', { ids: column.text() })

/** The ids of the recipients of a batch who are still pending. One text is read faster than a row for each. */
export async function pendingIds(em: Em, key: BatchKey): Promise<Set<string>> {
  const found = await selectPendingIds.row(
    em,
    prepared(sql`select array_to_string(array(select r.id ${pendingOf(key)}), ',') as ids`),
  )
  return new Set(idsIn(found!.ids))
}

/**
 * The recipients of a batch who were neither handed over nor skipped. Same condition as `isPending`, but reads the hand-offs
 * of the batch once. Facts are counted, not joined, so that the planner always uses the index.
 */
const pendingOf = ({ workspaceId, runId, batch }: BatchKey) => sql`from run_recipients r
         where r.workspace_id = ${workspaceId} and r.run_id = ${unplanned(runId, 'uuid')} and r.batch = ${unplanned(batch, 'integer')}
           and r.id <> all (array(select unnest(h.message_ids) from hand_offs h
             where h.workspace_id = ${workspaceId} and h.origin_id = ${unplanned(runId, 'uuid')} and h.batch = ${unplanned(batch, 'integer')} and h.state <> 'put_back'))
           and (select count(*) from message_facts f where f.origin_id = r.run_id and f.message_id = r.id) = 0`
