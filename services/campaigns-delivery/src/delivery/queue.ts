import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { setTimeout as sleep } from 'node:timers/promises'
import { AckPolicy, JetStreamApiError, type Consumer, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream'
import { headers as natsHeaders } from '@nats-io/transport-node'
import { DeliveryBatchSchema } from '@lettergate/contracts/events/v1/events'
import type { Bus } from '@lettergate/events'
import type { Logger } from '@lettergate/service'
import type { BatchKey } from './hand-off.ts'

/** The work queue between publisher and workers. It only wakes workers; the database holds the work. */
export interface DeliveryQueue {
  /** Returns the batches that the queue did not accept. Each is logged. */
  publish(keys: readonly BatchKey[]): Promise<BatchKey[]>
  /** Messages that no worker has taken yet, or undefined while the queue does not answer. */
  depth(): Promise<number | undefined>
  /** Returns the function that fetches messages. Throws when the queue cannot be reached. */
  open(): Promise<FetchMessages>
}

/** Fetches at most this many messages within about five seconds. Throws when the server ends it. */
export type FetchMessages = (messagesMax: number) => Promise<ConsumerMessages>

export const deliveryDurable = { stream: 'DELIVERY', name: 'campaigns-delivery__deliver', filter: 'delivery.batch' }
const durable = deliveryDurable.name
const ackWaitMs = 120_000
const inFlightMax = 256
const takeForMs = 5_000
/** How long to wait for the queue to report its depth. */
const answerWithinMs = 1_000

/** Opens the queue. If the server lost its store, `open` creates the consumer again once the stream exists. */
export function deliveryQueue(bus: Bus, log: Pick<Logger, 'warn'>): DeliveryQueue {
  const subject = bus.subject(deliveryDurable.filter)
  const stream = bus.stream(deliveryDurable.stream)

  async function send({ workspaceId, runId, batch }: BatchKey): Promise<boolean> {
    const headers = natsHeaders()
    headers.set('ce-workspaceid', workspaceId)
    try {
      await bus.js.publish(subject, toBinary(DeliveryBatchSchema, create(DeliveryBatchSchema, { runId, batch })), {
        headers,
      })
      return true
    } catch (error) {
      log.warn(
        { err: error, workspace_id: workspaceId, run_id: runId, batch },
        'a batch could not be published to the queue',
      )
      return false
    }
  }

  return {
    async publish(keys) {
      const refused: BatchKey[] = []
      for (let start = 0; start < keys.length; start += inFlightMax) {
        const part = keys.slice(start, start + inFlightMax)
        const sent = await Promise.all(part.map(send))
        refused.push(...part.filter((_, index) => !sent[index]))
        // After one failure the rest is not tried, so that a large run does not wait for many timeouts.
        if (refused.length > 0) return [...refused, ...keys.slice(start + inFlightMax)]
      }
      return refused
    },
    depth() {
      const asked = bus.jsm.consumers.info(stream, durable).then(({ num_pending }) => num_pending)
      return Promise.race([asked.catch(() => undefined), sleep(answerWithinMs, undefined, { ref: false })])
    },
    async open() {
      const config = {
        durable_name: durable,
        filter_subject: subject,
        ack_policy: AckPolicy.Explicit,
        ack_wait: ackWaitMs * 1e6,
        max_ack_pending: 4_096,
      }
      try {
        await bus.jsm.consumers.info(stream, durable)
      } catch (error) {
        if (!(error instanceof JetStreamApiError)) throw error
        await bus.jsm.consumers.add(stream, config)
      }
      const source: Consumer = await bus.js.consumers.get(stream, durable)
      return (messagesMax) => source.fetch({ max_messages: messagesMax, expires: takeForMs })
    },
  }
}

/** Returns the batch that a message names, or undefined when the message is not valid. */
export function readMessage(message: JsMsg): BatchKey | undefined {
  try {
    const { runId, batch } = fromBinary(DeliveryBatchSchema, message.data)
    const workspaceId = message.headers?.get('ce-workspaceid') ?? ''
    return workspaceId === '' || runId === '' ? undefined : { workspaceId, runId, batch }
  } catch {
    return undefined
  }
}
