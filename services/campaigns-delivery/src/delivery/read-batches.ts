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
import { DeliveryBatch } from '../runs/delivery-batch.entity.ts'
import type { RunRecipient } from '../runs/run-recipient.entity.ts'
import type { BatchGroup } from './hand-off.ts'

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
const selectBatches = statement('select-open-batches', {
  ...runColumns,
  ...columns(DeliveryBatch, 'batch', 'is_singles'),
  judged_at: column.timestamptz(),
  calls: column.integer(),
  // ids with commas between them: one text is read faster than a row for each recipient
  ids: column.text(),
  contact_ids: column.text(),
  audience_ids: column.text(),
})

/** A recipient of a batch who is still pending. */
export type PendingRecipient = Pick<Row<typeof RunRecipient>, 'id' | 'contact_id' | 'audience_id'>

/** A batch that is not done, and its pending recipients, ordered by id. */
export interface PendingBatch {
  batch: number
  /** one recipient in each call */
  isSingles: boolean
  recipients: PendingRecipient[]
}

/** A run that is being sent, and some of its batches. */
export interface PendingBatches {
  run: RowOf<typeof runColumns>
  /** calls that the connection has under way */
  calls: number
  /** database time before the verdicts are requested */
  judgedAt: string
  batches: PendingBatch[]
}

/**
 * Reads the pending recipients of these batches, in their order. Undefined when the run is not being sent or all batches are
 * done. Ends the transaction.
 */
export async function readBatches(em: Em, group: BatchGroup): Promise<PendingBatches | undefined> {
  const { workspaceId, runId } = group
  const found = await selectBatches.rows(
    em,
    lastRead(sql`select r.sender_identity_id, r.content_version_id, r.correlation_id, r.trace, r.connection_id, r.domain_name, clock_timestamp() as judged_at,
               (select count(*)::int from hand_offs h where h.workspace_id = r.workspace_id and h.connection_id = r.connection_id and h.state = 'claimed') as calls,
               t.batch, b.is_singles, p.ids, p.contact_ids, p.audience_ids
          from campaign_runs r cross join ${batchesOf(group)} join delivery_batches b on b.run_id = r.id and b.batch = t.batch
          cross join lateral (
            select coalesce(string_agg(q.id::text, ','), '') as ids, coalesce(string_agg(q.contact_id::text, ','), '') as contact_ids,
                   coalesce(string_agg(q.audience_id::text, ','), '') as audience_ids
              from (select r.id, r.contact_id, r.audience_id ${pendingOf(group)} order by r.id) q) p
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending' and b.workspace_id = ${workspaceId} and b.done_at is null
         order by t.n`),
  )
  const [first] = found
  if (!first) return undefined
  const batches = found.map(({ batch, is_singles: isSingles, ids, contact_ids, audience_ids }) => {
    const [contactIds, audienceIds] = [idsIn(contact_ids), idsIn(audience_ids)]
    const recipients = idsIn(ids).map((id, at) => ({ id, contact_id: contactIds[at]!, audience_id: audienceIds[at]! }))
    return { batch, isSingles, recipients }
  })
  return { run: first, calls: first.calls, judgedAt: first.judged_at, batches }
}

const idsIn = (text: string): string[] => (text === '' ? [] : text.split(','))

const selectPendingIds = statement('select-pending-ids', { batch: column.integer(), ids: column.text() })

/**
 * The ids of the recipients of these batches who are still pending, with their batches. One text is read faster than a row for
 * each.
 */
export async function pendingIds(em: Em, group: BatchGroup): Promise<Map<string, number>> {
  const found = await selectPendingIds.rows(
    em,
    prepared(
      sql`select t.batch, array_to_string(array(select r.id ${pendingOf(group)}), ',') as ids from ${batchesOf(group)}`,
    ),
  )
  return new Map(found.flatMap(({ batch, ids }) => idsIn(ids).map((id) => [id, batch] as const)))
}

const batchesOf = ({ batches }: BatchGroup) =>
  sql`unnest(${unplanned([...batches], 'integer[]')}) with ordinality as t (batch, n)`

/**
 * The recipients of batch `t.batch` who were neither handed over nor skipped. Same condition as `isPending`, but reads the
 * hand-offs of the batch once. Facts are counted, not joined, so that the planner always uses the index.
 */
const pendingOf = ({ workspaceId, runId }: BatchGroup) => sql`from run_recipients r
         where r.workspace_id = ${workspaceId} and r.run_id = ${unplanned(runId, 'uuid')} and r.batch = t.batch
           and r.id <> all (array(select unnest(h.message_ids) from hand_offs h
             where h.workspace_id = ${workspaceId} and h.origin_id = ${unplanned(runId, 'uuid')} and h.batch = t.batch and h.state <> 'put_back'))
           and (select count(*) from message_facts f where f.origin_id = r.run_id and f.message_id = r.id) = 0`
