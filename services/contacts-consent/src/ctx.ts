import type { Context } from '@lettergate/database'
import type { Config } from './config.ts'
import type { ContactWriter } from './contacts/write-contacts.ts'
import type { ContactsMetrics } from './metrics.ts'
import type { VerdictBatch } from './eligibility/eligibility.ts'
import type { StreamSlots } from './eligibility/audience-stream-limit.ts'
import type { EventIngester } from './sources/ingest-events.ts'

export interface Deps {
  readonly config: Config
  readonly metrics: ContactsMetrics
  readonly contactWriter: ContactWriter
  readonly verdictBatch: VerdictBatch
  readonly eventIngester: EventIngester
  readonly audienceStreams: StreamSlots
  /** A context of a named job without a workspace. */
  acrossWorkspaces(job: string): Ctx
  /** Lets the sealing job run within a second. Call it after a commit with consent events that publishes nothing. */
  sealSoon(): void
}

export type Ctx = Context<Deps>
