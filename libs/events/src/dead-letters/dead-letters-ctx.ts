import type { Em } from '@lettergate/database'
import type { Caller } from '@lettergate/service'

/** The context of the operations on dead letters. */
export interface DeadLettersCtx {
  readonly caller: Caller
  /** the name of the service that stores them */
  readonly service: string
  now(): Date
  tx<T>(work: (em: Em) => Promise<T>): Promise<T>
}
