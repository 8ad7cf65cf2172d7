import { Gauge } from 'prom-client'
import { column, columns, nullable, sql, statement, type RowOf } from '@lettergate/database'
import { gauge, labelledGauge, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { HandOff } from './hand-off.entity.ts'

const selectUnknownAge = statement('select-unknown-hand-off-age', { age: nullable(column.double()) })

/** Registers the gauges of a worker about all deliveries. `gateAgeMs` returns the age of the gate state in use. */
export function openDeliveryGauges(service: Service, ctx: Ctx, gateAgeMs: () => number): void {
  new Gauge({
    name: 'lettergate_gate_state_age_seconds',
    help: 'Age of the gate state in use; above 15 every run is held',
    registers: [service.metrics],
    collect() {
      this.set(gateAgeMs() / 1000)
    },
  })
  gauge(service, {
    name: 'lettergate_hand_off_unknown_age_seconds',
    help: 'Age of the oldest hand-off with an unknown result',
    async read() {
      const oldest = await ctx.tx((em) =>
        selectUnknownAge.row(
          em,
          sql`select extract(epoch from now() - min(claimed_at))::float8 as age from hand_offs where state = 'unknown'`,
        ),
      )
      return oldest!.age ?? 0
    },
  })
  gauge(service, {
    name: 'lettergate_hand_offs_unknown',
    help: 'Hand-offs with an unknown result',
    read: () => ctx.tx((em) => em.count(HandOff, { state: 'unknown' })),
  })
  gauge(service, {
    name: 'lettergate_hand_offs_under_way',
    help: 'Calls that hand messages to the provider and have not ended, over all workers',
    read: () => ctx.tx((em) => em.count(HandOff, { state: 'claimed' })),
  })
  openBacklog(service, ctx)
}

const backlogColumns = {
  ...columns(CampaignRun, 'workspace_id'),
  run_id: column.uuid(),
  due: column.integer(),
  recipients: column.integer(),
}
const selectBacklog = statement('select-delivery-backlog', backlogColumns)
type Backlog = RowOf<typeof backlogColumns>

/**
 * Registers the gauges of what is left to deliver. The queue only holds a short window, so a scaler must use
 * `lettergate_batches_due`.
 */
function openBacklog(service: Service, ctx: Ctx): void {
  let asked: Promise<Backlog[]> | undefined
  const ask = () => (asked ??= ctx.tx((em) => selectBacklog.rows(em, backlog)).finally(() => (asked = undefined)))
  const inAll = (name: string, help: string, countOf: (run: Backlog) => number) =>
    gauge(service, { name, help, read: async () => (await ask()).reduce((sum, run) => sum + countOf(run), 0) })
  const perRun = (name: string, help: string, countOf: (run: Backlog) => number) =>
    labelledGauge(service, {
      name,
      help: `${help}; of the ${runsMax} runs with the most`,
      labelNames: ['workspace_id', 'run_id'],
      read: async () =>
        (await ask())
          .slice(0, runsMax)
          .map((run) => ({ workspace_id: run.workspace_id, run_id: run.run_id, value: countOf(run) })),
    })
  inAll(
    'lettergate_batches_due',
    'Batches that a worker could deliver now, in all runs that are being sent, not held, and not in a cooldown of the provider: what workers are scaled on',
    ({ due }) => due,
  )
  inAll(
    'lettergate_recipients_pending',
    'Recipients in the open batches of all runs that are being sent',
    ({ recipients }) => recipients,
  )
  perRun('lettergate_run_batches_due', 'Batches of a run that a worker could deliver now', ({ due }) => due)
  perRun(
    'lettergate_run_recipients_pending',
    'Recipients in the open batches of a run that is being sent',
    ({ recipients }) => recipients,
  )
}

const runsMax = 100

/**
 * A batch is due if its run is not held and neither its connection nor its domain is in cooldown; after a cooldown, one batch of
 * the connection is. All batches of a run have the same size, except the last one, so that the recipients can be computed
 * without counting them.
 */
const backlog = sql`
  select r.workspace_id, r.id as run_id,
         case when r.held_by is not null or h.until > clock_timestamp() or d.until > clock_timestamp() then 0
              when h.until is not null and r.id <> first_value(r.id) over (partition by r.workspace_id, r.connection_id order by r.held_by nulls first, b.due = 0, r.id) then 0
              when h.until is not null or d.until is not null then least(b.due, 1)
              else b.due end as due,
         least(r.included_count, ceil(b.batches * r.included_count::numeric / nullif(t.batches, 0)))::int as recipients
    from campaign_runs r
    cross join lateral (select count(*)::int as batches, (count(*) filter (where due_at <= now()))::int as due from delivery_batches where run_id = r.id and done_at is null) b
    cross join lateral (select max(batch) + 1 as batches from delivery_batches where run_id = r.id) t
    left join connection_holds h on h.workspace_id = r.workspace_id and h.connection_id = r.connection_id
    left join domain_holds d on d.workspace_id = r.workspace_id and d.connection_id = r.connection_id and d.domain_name = r.domain_name
   where r.state = 'sending' order by b.batches desc`
