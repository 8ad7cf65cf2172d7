import type { MailgunWebhookType } from './account.ts'
import { Fifo } from './fifo.ts'
import { compile, render, type Addressee, type Template } from './template.ts'

/** One accepted call: the data that all its recipients share. */
export interface MessageBatch {
  /** Position in the order of acceptance, from 0. */
  readonly sequence: number
  /** Without angle brackets. */
  readonly messageId: string
  readonly domain: string
  readonly from: string
  readonly to: string | undefined
  readonly subject: Template
  readonly html: Template | undefined
  readonly text: Template | undefined
  readonly headers: readonly (readonly [string, Template])[]
  readonly variables: readonly (readonly [string, Template])[]
  readonly tags: readonly string[]
  readonly testMode: boolean
  /** When the first bytes of the call arrived; `receivedAt` is when it was accepted. */
  readonly arrivedAt: number
  readonly receivedAt: number
  /** The W3C trace context of the call, for display only. */
  readonly traceparent: string | undefined
  readonly deliveries: Delivery[]
}

/** The message of one recipient. Its text is rendered when it is shown. */
export interface Delivery extends Addressee {
  readonly batch: MessageBatch
  readonly index: number
  readonly happened: Happened[]
}

export interface Happened {
  readonly kind: MailgunWebhookType
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface Mailbox {
  readonly messages: number
  add(batch: MessageBatch, bytes: number): void
  /** Compiles a body, or returns the compiled one of a stored call. */
  body(source: string): Template
  /** `sequence` of the next call. */
  readonly nextSequence: number
  newestFirst(): Generator<Delivery>
  /** Accepted calls in their order, from this `sequence` or from the oldest stored one. */
  callsFrom(sequence: number): Generator<MessageBatch>
  find(key: string): Delivery | undefined
  clear(): void
}

export interface MailboxLimits {
  messagesMax: number
  /** Bodies and variables together, in UTF-16 units. */
  charactersMax: number
}

/** Keeps the newest messages within both limits; old calls are deleted with all their messages. */
export function createMailbox({ messagesMax, charactersMax }: MailboxLimits): Mailbox {
  const calls = new Fifo<{ batch: MessageBatch; size: number }>()
  const bodies = new Map<string, { template: Template; uses: number }>()
  let nextSequence = 0
  let messages = 0
  let characters = 0

  const release = (template: Template | undefined) => {
    const body = template && bodies.get(template.source)
    if (!body || !template) return
    body.uses -= 1
    if (body.uses > 0) return
    bodies.delete(template.source)
    characters -= template.source.length
  }
  const hold = (template: Template | undefined) => {
    if (!template) return
    const body = bodies.get(template.source)
    if (body) return void (body.uses += 1)
    bodies.set(template.source, { template, uses: 1 })
    characters += template.source.length
  }
  const forgetOldest = () => {
    const oldest = calls.shift()
    if (!oldest) return
    messages -= oldest.batch.deliveries.length
    characters -= oldest.size
    release(oldest.batch.html)
    release(oldest.batch.text)
  }

  return {
    get messages() {
      return messages
    },
    get nextSequence() {
      return nextSequence
    },
    body: (source) => bodies.get(source)?.template ?? compile(source),
    add: (batch, size) => {
      nextSequence = batch.sequence + 1
      calls.push({ batch, size })
      messages += batch.deliveries.length
      characters += size
      hold(batch.html)
      hold(batch.text)
      while (calls.length > 1 && (messages > messagesMax || characters > charactersMax)) forgetOldest()
    },
    *newestFirst() {
      for (let index = calls.length - 1; index >= 0; index -= 1) {
        const deliveries = calls.at(index)?.batch.deliveries ?? []
        for (let position = deliveries.length - 1; position >= 0; position -= 1) {
          const delivery = deliveries[position]
          if (delivery) yield delivery
        }
      }
    },
    *callsFrom(sequence) {
      const oldest = calls.at(0)?.batch.sequence ?? 0
      for (let index = Math.max(0, sequence - oldest); index < calls.length; index += 1) {
        const call = calls.at(index)
        if (call) yield call.batch
      }
    },
    find: (key) => {
      const [, sequence, index] = /^(\d{1,12})-(\d{1,4})$/.exec(key) ?? []
      const oldest = calls.at(0)?.batch.sequence ?? 0
      const call = sequence === undefined ? undefined : calls.at(Number(sequence) - oldest)
      return call?.batch.deliveries[Number(index)]
    },
    clear: () => {
      calls.clear()
      bodies.clear()
      messages = characters = 0
    },
  }
}

/** The id of a stored message in the URLs of the inbox. */
export const keyOf = (delivery: Delivery) => `${delivery.batch.sequence}-${delivery.index}`

/** Without angle brackets; the sender's `h:Message-Id` has precedence. */
export const messageIdOf = (delivery: Delivery) => {
  const own = delivery.batch.headers.find(([name]) => name.toLowerCase() === 'message-id')
  return own ? render(own[1], delivery).replace(/^<|>$/g, '') : delivery.batch.messageId
}

/** The `v:` values, as in `user-variables` of events. */
export const variablesOf = (delivery: Delivery): Record<string, string> =>
  Object.fromEntries(delivery.batch.variables.map(([name, template]) => [name, render(template, delivery)]))

/** The headers that a recipient sees, in order. */
export function headersOf(delivery: Delivery): Record<string, string> {
  const { batch } = delivery
  const own = batch.headers.filter(([name]) => name.toLowerCase() !== 'message-id')
  return {
    From: batch.from,
    To: batch.to ?? (delivery.name === '' ? delivery.address : `${delivery.name} <${delivery.address}>`),
    Subject: render(batch.subject, delivery),
    Date: new Date(batch.receivedAt).toUTCString(),
    'Message-Id': `<${messageIdOf(delivery)}>`,
    'Mime-Version': '1.0',
    ...Object.fromEntries(own.map(([name, template]) => [name, render(template, delivery)])),
  }
}

export const htmlOf = (delivery: Delivery) => (delivery.batch.html ? render(delivery.batch.html, delivery) : null)
export const textOf = (delivery: Delivery) => (delivery.batch.text ? render(delivery.batch.text, delivery) : null)
export const subjectOf = (delivery: Delivery) => render(delivery.batch.subject, delivery)
