import type { Batch } from '@lettergate/batch'
import type { Context } from '@lettergate/database'
import type { Config } from './config.ts'
import type { Connections } from './connections.ts'
import type { Measures } from './measures.ts'
import type { Arrival, Outcome } from './operations/store-provider-events.ts'
import type { WebhookRate } from './rate-limit.ts'
import type { Tallies } from './tallies.ts'

export interface Deps {
  config: Config
  connections: Connections
  rate: WebhookRate
  measures: Measures
  tallies: Tallies
  /** Stores arrivals in sets; answers each when it is durable. */
  intake: Batch<Arrival, Outcome>
}

export type Ctx = Context<Deps>
