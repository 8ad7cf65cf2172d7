import type { Em } from '@lettergate/database'
import type { Caller } from '@lettergate/service'

/** What the operations on dead letters work with. */
export interface DeadLettersCtx {
  readonly caller: Caller
  /** the name of the service that keeps them */
  readonly service: string
  now(): Date
  tx<T>(work: (em: Em) => Promise<T>): Promise<T>
}
