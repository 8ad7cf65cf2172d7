import { setTimeout as sleep } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import type { Bus } from './bus.ts'

/** What NATS says of a durable consumer. A consumer that no process ever made does not exist, and its numbers are 0. */
export interface ConsumerState {
  readonly exists: boolean
  /** messages that nobody has taken yet */
  readonly pending: number
  /** messages that were taken and are not acknowledged */
  readonly underWay: number
  /** requests for messages that wait */
  readonly waiting: number
}

const answerWithinMs = 2_000
const none: ConsumerState = { exists: false, pending: 0, underWay: 0, waiting: 0 }

/** The state of a durable consumer, or undefined while NATS does not answer. */
export async function consumerState(bus: Bus, stream: string, durable: string): Promise<ConsumerState | undefined> {
  const asked = bus.jsm.consumers.info(bus.stream(stream), durable).then(
    ({ num_pending: pending, num_ack_pending: underWay, num_waiting: waiting }): ConsumerState => ({
      exists: true,
      pending,
      underWay,
      waiting,
    }),
    (error: unknown) => (error instanceof JetStreamApiError ? none : undefined),
  )
  return Promise.race([asked, sleep(answerWithinMs, undefined, { ref: false })])
}
