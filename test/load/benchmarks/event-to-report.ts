import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { timestampNow } from '@bufbuild/protobuf/wkt'
import { ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { workspace, type Bench } from '../bench.ts'
import type { CallCounts } from '../drive.ts'
import { openEventsFloor } from '../floors.ts'
import { insertEvents } from '../insert-events.ts'
import { compareInTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'
import { signedEvent } from './provider-webhooks.ts'

const people = 20_000
const kinds = ['accepted', 'delivered', 'opened']
const events = people * kinds.length
const rounds = 5

/**
 * Measures stored provider events until the report of their run has all of them: relay, stream, consumer, counters. Floor
 * and Lettergate run in turns, with the same recipients. The first turn of each is a warm-up, in which processes compile code.
 */
export async function eventToReport(bench: Bench): Promise<Result[]> {
  const { database, print } = bench
  const labels = { name: 'event to report', unit: 'event' }
  print(`${events} provider events of ${people} people into a report, in ${rounds + 1} turns`)
  const floor = await openEventsFloor(bench.floor.pool)
  let accepted: AcceptedRun | undefined
  try {
    const compared = await compareInTurns({ ...bench, pids: [...bench.pids, floor.pid] }, labels, {
      rounds,
      prepare: {
        async floor() {
          accepted = await createAcceptedRun(bench)
          await floor.publish({ ids: accepted.messageIds, times: kinds.length })
        },
        async ours() {
          await database.query('begin')
          await insertReceived(bench, accepted!)
        },
      },
      floor: () => counted(() => floor.write(events)),
      ours: () => counted(() => waitForReport(bench, accepted!.runId)),
    })
    return [
      {
        ...compared,
        name: labels.name,
        unit: 'events/s',
        floorIs: 'JetStream consume and unnest update, 500 at a time',
        note: `with outbox, relay, facts and counters; ${compared.note}`,
      },
    ]
  } finally {
    await floor.close()
  }
}

async function counted(work: () => Promise<void>): Promise<CallCounts> {
  const began = performance.now()
  await work()
  return { done: events, perSecond: (events * 1_000) / (performance.now() - began), failures: 0 }
}

/**
 * Measures from the commit of the events. One more event arrives by the webhook and wakes the relay, as each commit of the
 * service does. The report is read once, when all events are counted: repeated reads would change the result.
 */
async function waitForReport(bench: Bench, runId: string): Promise<void> {
  await bench.database.query('commit')
  await deliverWebhook(bench)
  while ((await countedEvents(bench, runId)) < events) await sleep(20)
  const { report } = await bench.api.ok<{ report: { delivered: number; opened_recipients: number } }>(
    'GET',
    `${workspace}/campaign-runs/${runId}/report`,
  )
  if (report.delivered !== people || report.opened_recipients !== people)
    throw new Error(`the report has ${report.delivered} delivered and ${report.opened_recipients} opened of ${people}`)
}

async function countedEvents({ database }: Bench, runId: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select coalesce(sum(count), 0)::int as count from campaigns.event_counts where origin_id = $1',
    [runId],
  )
  return rows[0]!.count
}

/** Sends an event of a message that does not exist. */
async function deliverWebhook({ database, stack }: Bench): Promise<void> {
  const [connection] = (await database.query<{ id: string }>('select id from sending.provider_connections limit 1'))
    .rows
  const answer = await fetch(`${stack.base_url}/webhooks/mailprovider/${connection!.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: signedEvent(),
  })
  if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`)
}

interface AcceptedRun {
  workspaceId: string
  runId: string
  messageIds: string[]
}

/** Inserts a run with accepted messages by SQL, because other benchmarks measure sending. */
async function createAcceptedRun({ database }: Bench): Promise<AcceptedRun> {
  const found = await database.query<{ id: string }>(
    `select w.id from identity.workspaces w join identity.organizations o on o.id = w.organization_id where o.slug = 'acme' and w.slug = 'newsletter'`,
  )
  const workspaceId = found.rows[0]!.id
  const [campaignId, runId] = [newId(), newId()]
  const messageIds = Array.from({ length: people }, newId)
  await database.query(
    `insert into campaigns.campaigns (workspace_id, id, status, current_version, created_by) values ($1, $2, 'sent', 1, 'bench')`,
    [workspaceId, campaignId],
  )
  await database.query(
    `insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, included_count, scheduled_by, correlation_id, started_at, completed_at)
     values ($1, $2, $3, $2, $2, $2, 'completed', now(), $4, 'bench', $5, now(), now())`,
    [workspaceId, runId, campaignId, people, randomUUID()],
  )
  await database.query(
    `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
     select $1, id, $2, n / 100, id, id, id || '@example.test' from unnest($3::uuid[]) with ordinality as t (id, n)`,
    [workspaceId, runId, messageIds],
  )
  await database.query(
    `insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, state, judged_at)
     select $1, gen_random_uuid(), 'run', $2, batch, array_agg(id), $2, 'bench', 'us', 'MAILPROVIDER_KEY', 'accepted', now()
       from campaigns.run_recipients where run_id = $2 group by batch`,
    [workspaceId, runId],
  )
  await database.query('analyze campaigns.run_recipients')
  return { workspaceId, runId, messageIds }
}

/** Inserts the events that the webhook publishes. The transaction stays open. */
async function insertReceived(bench: Bench, { workspaceId, messageIds }: AcceptedRun): Promise<void> {
  const received = kinds.flatMap((event) =>
    messageIds.map((messageId) => {
      const now = timestampNow()
      return { id: newId(), connectionId: workspaceId, event, messageId, occurredAt: now, receivedAt: now }
    }),
  )
  await insertEvents(bench, 'webhooks', workspaceId, ProviderEventReceivedSchema, received)
}
