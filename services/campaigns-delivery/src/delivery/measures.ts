import { Counter, Gauge, Histogram } from 'prom-client'
import { row, rows, sql } from '@lettergate/database'
import { gauge, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'

/** What an operator asks of hand-offs, as numbers; of the worker's and of test sends', which the api makes. */
export type Measures = ReturnType<typeof openMeasures>

/** Registers the metrics of a process that hands messages over. */
export function openMeasures(service: Service) {
  const registers = [service.metrics]
  const verdictSeconds = new Histogram({
    name: 'lettergate_verdict_to_hand_off_seconds',
    help: 'Time between the question who may be mailed and the hand-off that relies on its answer; at most 4',
    buckets: [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 4],
    registers,
  })
  const verdictMaxSeconds = new Gauge({
    name: 'lettergate_verdict_to_hand_off_max_seconds',
    help: 'The longest such time since this process started',
    registers,
  })
  let longest = 0
  return {
    /** Takes down how old the verdicts of a hand-off were when its call began. */
    verdictWas(seconds: number): void {
      verdictSeconds.observe(seconds)
      if (seconds <= longest) return
      longest = seconds
      verdictMaxSeconds.set(seconds)
    },
    postponed: new Counter({
      name: 'lettergate_batches_postponed_total',
      help: 'Batches that went back because their connection rests (resting), is ahead of its rate (paced) or has all its calls under way (connection_full), or this worker has (worker_full); because a gate changed meanwhile (gates_changed), or verdicts came too late three times (verdicts_late)',
      labelNames: ['why'],
      registers,
    }),
    rejudged: new Counter({
      name: 'lettergate_batches_rejudged_total',
      help: 'Batches that were judged again, because their verdicts were 2 s old or somebody in them was heard to refuse meanwhile',
      registers,
    }),
    transitions: new Counter({
      name: 'lettergate_recipients_total',
      help: 'Recipients by the state they went into',
      labelNames: ['state'],
      registers,
    }),
    handOffs: new Counter({
      name: 'lettergate_hand_offs_total',
      help: 'Calls that hand messages to the provider, by result',
      labelNames: ['result'],
      registers,
    }),
    handOffSeconds: new Histogram({
      name: 'lettergate_hand_off_seconds',
      help: 'Time of one messages call to the provider',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
      registers,
    }),
    intentSeconds: new Histogram({
      name: 'lettergate_intent_to_hand_off_seconds',
      help: 'Time between the beginning of an intent and its hand-off; above 2 it is put back',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5],
      registers,
    }),
  }
}

/** Registers what a worker knows of all delivery. `gateAgeMs` tells how old the gate state is that deliveries rely on. */
export function openDeliveryGauges(service: Service, ctx: Ctx, gateAgeMs: () => number): void {
  new Gauge({
    name: 'lettergate_gate_state_age_seconds',
    help: 'Age of the gate state that deliveries rely on; above 15 everything is held',
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
    'Age of the oldest hand-off of which nobody knows whether the provider has it',
    sql`select extract(epoch from now() - min(claimed_at))::float8 as value from hand_offs where state = 'unknown'`,
  )
  read(
    'lettergate_hand_offs_unknown',
    'Hand-offs of which nobody knows whether the provider has them',
    sql`select count(*)::int as value from hand_offs where state = 'unknown'`,
  )
  read(
    'lettergate_hand_offs_under_way',
    'Calls that hand messages to the provider and have not ended, over all workers, as far as they were written down',
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
 * What is left to deliver. It grows with the backlog, as the queue does not, which holds a short window by design: a scaler
 * uses `lettergate_batches_due`.
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
          service.log.warn({ err: error, metric: name }, 'a gauge cannot be read and is left out')
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

/** A batch holds as many as the others of its run, the last one fewer: the recipients need not be counted. */
const backlog = sql`
  select r.workspace_id, r.id as run_id, case when r.held_by is null then b.due else 0 end as due,
         least(r.included_count, ceil(b.batches * r.included_count::numeric / nullif(t.batches, 0)))::int as recipients
    from campaign_runs r
    cross join lateral (select count(*)::int as batches, (count(*) filter (where due_at <= now()))::int as due from delivery_batches where run_id = r.id and done_at is null) b
    cross join lateral (select max(batch) + 1 as batches from delivery_batches where run_id = r.id) t
   where r.state = 'sending' order by b.batches desc`
