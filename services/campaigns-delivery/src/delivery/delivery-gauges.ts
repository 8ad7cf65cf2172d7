import { Gauge } from 'prom-client'
import { row, rows, sql } from '@lettergate/database'
import { gauge, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'

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
  const read = (name: string, help: string, statement: ReturnType<typeof sql>) =>
    gauge(service, {
      name,
      help,
      async read() {
        const found = await ctx.tx((em) => row<{ value: number | null }>(em, statement))
        return found!.value ?? 0
      },
    })
  read(
    'lettergate_hand_off_unknown_age_seconds',
    'Age of the oldest hand-off with an unknown result',
    sql`select extract(epoch from now() - min(claimed_at))::float8 as value from hand_offs where state = 'unknown'`,
  )
  read(
    'lettergate_hand_offs_unknown',
    'Hand-offs with an unknown result',
    sql`select count(*)::int as value from hand_offs where state = 'unknown'`,
  )
  read(
    'lettergate_hand_offs_under_way',
    'Calls that hand messages to the provider and have not ended, over all workers',
    sql`select count(*)::int as value from hand_offs where state = 'claimed'`,
  )
  openBacklog(service, ctx)
}

interface Backlog {
  workspace_id: string
  run_id: string
  due: number
  recipients: number
}

/**
 * Registers the gauges of what is left to deliver. The queue only holds a short window, so a scaler must use
 * `lettergate_batches_due`.
 */
function openBacklog(service: Service, ctx: Ctx): void {
  let asked: Promise<Backlog[]> | undefined
  const ask = () => (asked ??= ctx.tx((em) => rows<Backlog>(em, backlog)).finally(() => (asked = undefined)))
  const inAll = (name: string, help: string, countOf: (run: Backlog) => number) =>
    gauge(service, { name, help, read: async () => (await ask()).reduce((sum, run) => sum + countOf(run), 0) })
  const perRun = (name: string, help: string, countOf: (run: Backlog) => number) =>
    new Gauge({
      name,
      help: `${help}; of the ${runsMax} runs with the most`,
      labelNames: ['workspace_id', 'run_id'],
      registers: [service.metrics],
      async collect() {
        this.reset()
        const found = await ask().catch((error: unknown) => {
          service.log.warn({ err: error, metric: name }, 'a gauge cannot be read and has no value')
          return []
        })
        for (const run of found.slice(0, runsMax))
          this.set({ workspace_id: run.workspace_id, run_id: run.run_id }, countOf(run))
      },
    })
  inAll(
    'lettergate_batches_due',
    'Batches that a worker could deliver now, in all runs that are being sent and not held: what workers are scaled on',
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

/** All batches of a run have the same size, except the last one. The recipients can be computed without counting them. */
const backlog = sql`
  select r.workspace_id, r.id as run_id, case when r.held_by is null then b.due else 0 end as due,
         least(r.included_count, ceil(b.batches * r.included_count::numeric / nullif(t.batches, 0)))::int as recipients
    from campaign_runs r
    cross join lateral (select count(*)::int as batches, (count(*) filter (where due_at <= now()))::int as due from delivery_batches where run_id = r.id and done_at is null) b
    cross join lateral (select max(batch) + 1 as batches from delivery_batches where run_id = r.id) t
   where r.state = 'sending' order by b.batches desc`
