import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { timestampNow } from '@bufbuild/protobuf/wkt'
import { ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { workspace, type Bench } from '../bench.ts'
import { eventsFloor } from '../floors.ts'
import type { Result } from '../result.ts'
import { countSpending, type Spending } from '../spending.ts'
import { median } from '../in-turns.ts'
import { signedEvent } from './provider-webhooks.ts'

const people = 20_000
const kinds = ['accepted', 'delivered', 'opened']
const events = people * kinds.length
const rounds = 3

/**
 * Measures stored provider events until the report of their run has all of them: relay, stream, consumer, counters. Floor
 * and Lettergate run in turns. The first turn of each is a warm-up, in which processes compile code.
 */
export async function eventToReport(bench: Bench): Promise<Result[]> {
  const { print } = bench
  print(`${events} provider events of ${people} people into a report, in ${rounds + 1} turns`)
  await takeTurn(bench)
  const spending = countSpending(bench)
  const turns: Turn[] = []
  for (let round = 0; round < rounds; round += 1) turns.push(await takeTurn(bench, spending))
  spending.print('event to report', 'event')
  const ratios = turns.map(({ ours, floor }) => ours / floor)
  const spread = `rounds ${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
  return [
    {
      name: 'event to report',
      unit: 'events/s',
      ours: median(turns.map(({ ours }) => ours)),
      floor: median(turns.map(({ floor }) => floor)),
      ratio: median(ratios),
      floorIs: 'JetStream consume and unnest update, 500 at a time',
      note: turns.every(({ isRight }) => isRight)
        ? `with outbox, relay, facts and counters; ${spread}`
        : 'THE REPORT IS WRONG',
    },
  ]
}

interface Turn {
  ours: number
  floor: number
  isRight: boolean
}

/** Sends the events of one run through the floor, then through Lettergate. Returns events per second. */
async function takeTurn(bench: Bench, spending: Pick<Spending, 'during'> = uncounted): Promise<Turn> {
  const { workspaceId, runId, messageIds } = await createAcceptedRun(bench)
  const floor = await eventsFloor(bench.floor.pool, { ids: messageIds, times: kinds.length })
  await bench.database.query('begin')
  await insertOutboxRows(bench, workspaceId, messageIds)
  const { report, seconds } = await spending.during(
    () => waitForReport(bench, runId),
    () => events,
  )
  const isRight = report.delivered === people && report.opened_recipients === people
  return { ours: events / seconds, floor, isRight }
}

const uncounted: Pick<Spending, 'during'> = { during: (work) => work() }

/**
 * Measures from the commit of the events. One more event arrives by the webhook and wakes the relay, as each commit of the
 * service does. The report is read once, when all events are counted: repeated reads would change the result.
 */
async function waitForReport(bench: Bench, runId: string) {
  const began = performance.now()
  await bench.database.query('commit')
  await deliverWebhook(bench)
  while ((await countedEvents(bench, runId)) < events) await sleep(20)
  const { report } = await bench.api.ok<{ report: { delivered: number; opened_recipients: number } }>(
    'GET',
    `${workspace}/campaign-runs/${runId}/report`,
  )
  return { report, seconds: (performance.now() - began) / 1_000 }
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

/** Inserts a run with accepted messages by SQL, because other benchmarks measure sending. */
async function createAcceptedRun({ database }: Bench) {
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

/** Inserts the outbox row that the webhook writes for each event, with the id of the event. The transaction stays open. */
async function insertOutboxRows({ database }: Bench, workspaceId: string, messageIds: string[]): Promise<void> {
  const rows = kinds.flatMap((event) =>
    messageIds.map((messageId) => {
      const id = newId()
      const now = timestampNow()
      const init = { id, connectionId: workspaceId, event, messageId, occurredAt: now, receivedAt: now }
      return {
        id,
        payload: Buffer.from(toBinary(ProviderEventReceivedSchema, create(ProviderEventReceivedSchema, init))),
      }
    }),
  )
  const headers = {
    type: ProviderEventReceivedSchema.typeName,
    correlationId: randomUUID(),
    actor: 'provider',
    trace: {},
  }
  await database.query(
    `insert into webhooks.outbox (id, event, workspace_id, payload, headers)
     select id, 'provider_event_received', $1, payload, $2::jsonb from unnest($3::uuid[], $4::bytea[]) as t (id, payload)`,
    [workspaceId, JSON.stringify(headers), rows.map(({ id }) => id), rows.map(({ payload }) => payload)],
  )
}
