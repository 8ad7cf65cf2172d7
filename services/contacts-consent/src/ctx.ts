import type { Context } from '@lettergate/database'
import type { Config } from './config.ts'
import type { ContactWriter } from './contacts/write-contacts.ts'
import type { ContactsMetrics } from './metrics.ts'
import type { Judge } from './eligibility/eligibility.ts'
import type { StreamPlaces } from './eligibility/audience-stream-limit.ts'
import type { EventIngester } from './sources/ingest-events.ts'

export interface Deps {
  readonly config: Config
  readonly counted: ContactsMetrics
  readonly contactWriter: ContactWriter
  readonly judge: Judge
  readonly eventIngester: EventIngester
  readonly audienceStreams: StreamPlaces
  /** A named look at what no single workspace owns. */
  acrossWorkspaces(job: string): Ctx
}

export type Ctx = Context<Deps>
