import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { execute, newId, row, rows, sql, type Em } from '@lettergate/database'
import { askConnection } from '../db/connection-holds.ts'

/** Which batch is meant. */
export interface BatchKey {
  workspaceId: string
  runId: string
  batch: number
}

/** A run that is being sent, and those of one batch who still wait. */
export interface PendingBatch {
  run: { sender_identity_id: string; content_version_id: string; correlation_id: string; trace: Record<string, string> }
  isSingles: boolean
  /** the database's time before anybody was asked about these people */
  judgedAt: string
  recipients: { id: string; contact_id: string; audience_id: string }[]
}

/** What waits in a batch; undefined when nothing does, or its run is not being sent. */
export async function readBatch(em: Em, { workspaceId, runId, batch }: BatchKey): Promise<PendingBatch | undefined> {
  const run = await row<PendingBatch['run'] & { is_singles: boolean; judged_at: string }>(
    em,
    sql`select r.sender_identity_id, r.content_version_id, r.correlation_id, r.trace, b.is_singles, clock_timestamp() as judged_at
          from campaign_runs r join delivery_batches b on b.run_id = r.id and b.batch = ${batch}
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending' and b.workspace_id = ${workspaceId} and b.done_at is null`,
  )
  if (!run) return undefined
  const recipients = await rows<PendingBatch['recipients'][number]>(
    em,
    sql`select id, contact_id, audience_id from run_recipients
         where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch} and state = 'pending' order by id`,
  )
  return { run, isSingles: run.is_singles, judgedAt: run.judged_at, recipients }
}

/** One call to the provider that is about to be made, and for whom. */
export interface IntendedHandOff {
  id: string
  messageIds: string[]
}

export type Intent =
  | { kind: 'claimed'; handOffs: IntendedHandOff[]; isTrial: boolean; skipped: number }
  | { kind: 'resting'; until: Date }
  | { kind: 'stopped' }

/** Calls at once while every message is handed over alone. */
const singlesAtOnce = 5

/**
 * Writes down what is about to be handed to the provider, before any socket is touched. Whoever is not eligible is skipped
 * with the reasons. Takes only who is still pending, in a run that is still being sent; a connection at rest takes nobody.
 */
export async function commitIntent(
  em: Em,
  key: BatchKey,
  intended: {
    eligible: string[]
    ineligible: { id: string; reasons: string[] }[]
    judgedAt: string
    sender: SenderReadiness
    isSingles: boolean
  },
): Promise<Intent> {
  const { workspaceId, runId, batch } = key
  const { eligible, ineligible, sender } = intended
  const sending = await row(
    em,
    sql`select 1 from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} and state = 'sending' for share`,
  )
  if (!sending) return { kind: 'stopped' }
  const skipped = await skip(em, workspaceId, ineligible)
  const permission =
    eligible.length === 0
      ? ({ kind: 'open' } as const)
      : await askConnection(em, workspaceId, sender.providerConnectionId)
  if (permission.kind === 'resting') {
    await execute(
      em,
      sql`update delivery_batches set due_at = ${permission.until}, published_at = null where run_id = ${runId} and batch = ${batch} and workspace_id = ${workspaceId}`,
    )
    return permission
  }
  const isAlone = intended.isSingles || (permission.kind === 'trial' && permission.singles)
  const groups = isAlone ? eligible.slice(0, singlesAtOnce).map((id) => [id]) : eligible.length > 0 ? [eligible] : []
  const handOffs = await claim(em, key, groups)
  if (handOffs.length > 0) {
    await execute(
      em,
      sql`insert into hand_offs (workspace_id, id, run_id, batch, connection_id, domain_name, region, credential_env_key, recipient_count, judged_at)
          select ${workspaceId}::uuid, t.id, ${runId}::uuid, ${batch}::integer, ${sender.providerConnectionId}::uuid, ${sender.domainName}, ${sender.region}, ${sender.credentialEnvKey}, t.size, ${intended.judgedAt}::timestamptz
            from unnest(${handOffs.map(({ id }) => id)}::uuid[], ${handOffs.map(({ messageIds }) => messageIds.length)}::integer[]) as t (id, size)`,
    )
  }
  await execute(
    em,
    sql`update delivery_batches b set done_at = now() where run_id = ${runId} and batch = ${batch} and workspace_id = ${workspaceId} and done_at is null
          and not exists (select 1 from run_recipients r where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.batch = ${batch} and r.state = 'pending')`,
  )
  return { kind: 'claimed', handOffs, isTrial: permission.kind === 'trial', skipped }
}

async function skip(em: Em, workspaceId: string, ineligible: { id: string; reasons: string[] }[]): Promise<number> {
  if (ineligible.length === 0) return 0
  return execute(
    em,
    sql`update run_recipients r set state = 'skipped', reasons = string_to_array(t.reasons, ',')
          from unnest(${ineligible.map(({ id }) => id)}::uuid[], ${ineligible.map(({ reasons }) => reasons.join(','))}::text[]) as t (id, reasons)
         where r.workspace_id = ${workspaceId} and r.id = t.id and r.state = 'pending'`,
  )
}

/** Takes the pending ones of these people; whom another worker is taking right now it leaves alone. */
async function claim(em: Em, { workspaceId }: BatchKey, groups: string[][]): Promise<IntendedHandOff[]> {
  if (groups.length === 0) return []
  const handOffIds = groups.map(() => newId())
  const ids = groups.flat()
  const owners = groups.flatMap((group, index) => group.map(() => handOffIds[index]!))
  const claimed = await rows<{ id: string; hand_off_id: string }>(
    em,
    sql`with locked as (
          select r.id, t.hand_off_id from unnest(${ids}::uuid[], ${owners}::uuid[]) as t (id, hand_off_id)
            join run_recipients r on r.workspace_id = ${workspaceId} and r.id = t.id
           where r.state = 'pending' for update of r skip locked)
        update run_recipients r set state = 'claimed', hand_off_id = locked.hand_off_id, attempt = r.attempt + 1
          from locked where r.workspace_id = ${workspaceId} and r.id = locked.id
        returning r.id, r.hand_off_id`,
  )
  const byHandOff = Map.groupBy(claimed, ({ hand_off_id }) => hand_off_id)
  return Array.from(byHandOff, ([id, members]) => ({ id, messageIds: members.map((member) => member.id) }))
}
