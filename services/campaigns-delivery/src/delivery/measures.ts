import { Counter, Gauge, Histogram } from 'prom-client'
import { row, sql } from '@lettergate/database'
import { gauge, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'

/** What an operator asks of delivery, as numbers. */
export type Measures = ReturnType<typeof measures>

/** Registers the metrics of a worker. `gateAgeMs` tells how old the gate state is that deliveries rely on. */
export function measures(service: Service, ctx: Ctx, gateAgeMs: () => number) {
  const registers = [service.metrics]
  new Gauge({
    name: 'lettergate_gate_state_age_seconds',
    help: 'Age of the gate state that deliveries rely on; above 15 everything is held',
    registers,
    collect() {
      this.set(gateAgeMs() / 1000)
    },
  })
  gauge(service, {
    name: 'lettergate_hand_off_unknown_age_seconds',
    help: 'Age of the oldest hand-off of which nobody knows whether the provider has it',
    async read() {
      const found = await ctx.tx((em) =>
        row<{ age: number | null }>(
          em,
          sql`select extract(epoch from now() - min(claimed_at))::float8 as age from hand_offs where state = 'unknown'`,
        ),
      )
      return found!.age ?? 0
    },
  })
  gauge(service, {
    name: 'lettergate_hand_offs_under_way',
    help: 'Calls that hand messages to the provider and have not ended, over all workers, as far as they were written down',
    async read() {
      const found = await ctx.tx((em) =>
        row<{ calls: number }>(em, sql`select count(*)::int as calls from hand_offs where state = 'claimed'`),
      )
      return found!.calls
    },
  })
  return {
    postponed: new Counter({
      name: 'lettergate_batches_postponed_total',
      help: 'Batches that went back because their connection rests (resting), is ahead of its rate (paced) or has all its calls under way (connection_full), or this worker has (worker_full)',
      labelNames: ['why'],
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
      help: 'Time between the commit of an intent and its hand-off; above 2 it is put back',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5],
      registers,
    }),
  }
}
