import type { EntityManager } from '@mikro-orm/postgresql'
import type { Part } from '@lettergate/service'

/** The entity manager of one open transaction. A function that takes one lives inside somebody else's transaction. */
export type Em = EntityManager

/** The service's own schema behind a bounded pool. Work goes through `ctx.tx`, never through this. */
export interface Database extends Part {
  readonly schema: string
  /** With `isLong` on the connections that are kept for long work. */
  fork(isLong?: boolean): Em
  /** Runs after every commit that published something, so that the relay need not wait for its poll. */
  onPublished(listener: () => void): void
  announcePublished(): void
}
