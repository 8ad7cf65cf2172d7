import type { EntityManager } from '@mikro-orm/postgresql'
import type { Part } from '@lettergate/service'

/** The entity manager of one open transaction. A function with this parameter runs inside its caller's transaction. */
export type Em = EntityManager

/** The service's own schema behind a bounded pool. Code uses `ctx.tx`, not this. */
export interface Database extends Part {
  readonly schema: string
  /** With `isLong`, it uses the pool for long work. */
  fork(isLong?: boolean): Em
  /** Calls the listener after every commit with events, so that the relay does not wait for its poll. */
  onPublished(listener: () => void): void
  notifyPublished(): void
}
