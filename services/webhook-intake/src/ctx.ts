import type { Batch } from '@lettergate/batch'
import type { Context } from '@lettergate/database'
import type { Config } from './config.ts'
import type { Connections } from './connections.ts'
import type { Metrics } from './metrics.ts'
import type { Arrival, StoreOutcome } from './operations/store-provider-events.ts'
import type { WebhookRate } from './rate-limit.ts'
import type { Tallies } from './tallies.ts'

export interface Deps {
  config: Config
  connections: Connections
  rate: WebhookRate
  metrics: Metrics
  tallies: Tallies
  /** Stores arrivals in batches; resolves when the arrival is durable. */
  intake: Batch<Arrival, StoreOutcome>
}

export type Ctx = Context<Deps>
