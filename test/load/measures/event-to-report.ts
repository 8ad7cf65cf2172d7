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
 * Provider events that are stored, until the report of their run says all of them: relay, stream, consumer, tallies. Floor
 * and ours take turns; the first turn of each is a warm-up, because processes compile themselves.
 */
export async function eventToReport(bench: Bench): Promise<Result[]> {
  const { tell } = bench
  tell(`${events} provider events of ${people} people into a report, in ${rounds + 1} turns`)
  await takeTurn(bench)
  const spending = countSpending(bench)
  const turns: Turn[] = []
  for (let round = 0; round < rounds; round += 1) turns.push(await takeTurn(bench, spending))
  spending.tell('event to report', 'event')
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
        ? `with outbox, relay, inbox, tallies and announcements; ${spread}`
        : 'THE REPORT IS WRONG',
    },
  ]
}

interface Turn {
  ours: number
  floor: number
  isRight: boolean
}

/** One run: its events through the floor, then through ours, in events a second. */
async function takeTurn(bench: Bench, spending: Pick<Spending, 'during'> = uncounted): Promise<Turn> {
  const { workspaceId, runId, messageIds } = await handedOver(bench)
  const floor = await eventsFloor(bench.floor.pool, { ids: messageIds, times: kinds.length })
  await bench.look.query('begin')
  await announce(bench, workspaceId, messageIds)
  const { report, seconds } = await spending.during(
    () => reported(bench, runId),
    () => events,
  )
  const isRight = report.delivered === people && report.opened_recipients === people
  return { ours: events / seconds, floor, isRight }
}

const uncounted: Pick<Spending, 'during'> = { during: (work) => work() }

/**
 * From the commit of the events on. One more comes in by the webhook, which wakes the relay as every commit of the service's
 * own does. The report is asked for once it is complete: asked all the time it would be what is measured.
 */
async function reported(bench: Bench, runId: string) {
  const began = performance.now()
  await bench.look.query('commit')
  await deliverWebhook(bench)
  while ((await countedEvents(bench, runId)) < events) await sleep(20)
  const { report } = await bench.api.ok<{ report: { delivered: number; opened_recipients: number } }>(
    'GET',
    `${workspace}/campaign-runs/${runId}/report`,
  )
  return { report, seconds: (performance.now() - began) / 1_000 }
}

async function countedEvents({ look }: Bench, runId: string): Promise<number> {
  const { rows } = await look.query<{ count: number }>(
    'select coalesce(sum(count), 0)::int as count from campaigns.event_counts where origin_id = $1',
    [runId],
  )
  return rows[0]!.count
}

/** About a message of nobody. */
async function deliverWebhook({ look, stack }: Bench): Promise<void> {
  const [connection] = (await look.query<{ id: string }>('select id from sending.provider_connections limit 1')).rows
  const answer = await fetch(`${stack.base_url}/webhooks/mailprovider/${connection!.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: signedEvent(),
  })
  if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`)
}

/** A run whose messages were accepted, written past the services: how fast they are sent is measured elsewhere. */
async function handedOver({ look }: Bench) {
  const found = await look.query<{ id: string }>(
    `select w.id from identity.workspaces w join identity.organizations o on o.id = w.organization_id where o.slug = 'acme' and w.slug = 'newsletter'`,
  )
  const workspaceId = found.rows[0]!.id
  const [campaignId, runId] = [newId(), newId()]
  const messageIds = Array.from({ length: people }, newId)
  await look.query(
    `insert into campaigns.campaigns (workspace_id, id, status, current_version, created_by) values ($1, $2, 'sent', 1, 'bench')`,
    [workspaceId, campaignId],
  )
  await look.query(
    `insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, included_count, scheduled_by, correlation_id, started_at, completed_at)
     values ($1, $2, $3, $2, $2, $2, 'completed', now(), $4, 'bench', $5, now(), now())`,
    [workspaceId, runId, campaignId, people, randomUUID()],
  )
  await look.query(
    `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
     select $1, id, $2, n / 100, id, id, id || '@example.test' from unnest($3::uuid[]) with ordinality as t (id, n)`,
    [workspaceId, runId, messageIds],
  )
  await look.query(
    `insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, state, judged_at)
     select $1, gen_random_uuid(), 'run', $2, batch, array_agg(id), $2, 'bench', 'us', 'MAILPROVIDER_KEY', 'accepted', now()
       from campaigns.run_recipients where run_id = $2 group by batch`,
    [workspaceId, runId],
  )
  await look.query('analyze campaigns.run_recipients')
  return { workspaceId, runId, messageIds }
}

/** What the webhook leaves behind for each event, in a transaction that is open still: an outbox row under the event's id. */
async function announce({ look }: Bench, workspaceId: string, messageIds: string[]): Promise<void> {
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
  await look.query(
    `insert into webhooks.outbox (id, event, workspace_id, payload, headers)
     select id, 'provider_event_received', $1, payload, $2::jsonb from unnest($3::uuid[], $4::bytea[]) as t (id, payload)`,
    [workspaceId, JSON.stringify(headers), rows.map(({ id }) => id), rows.map(({ payload }) => payload)],
  )
}
