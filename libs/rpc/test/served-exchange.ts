import { afterEach, expect } from '@jest/globals'
import type { CallScope } from '@lettergate/service'
import type { Carrier } from '@lettergate/service/tracing'
import { servedExchange, type ServedMethod } from '../src/serve-exchange.ts'
import { ServerEnd } from './memory-stream.ts'

const peer = { name: 'gateway', validUntil: Infinity }
export const caller = { actor: 'test', actorKind: 'system', correlationId: 'corr-12345678' }
export const frame = (id: number, text = '', more: object = {}) => ({
  id,
  method: 'x/Do',
  request: Buffer.from(text),
  timeoutMs: 60_000,
  caller,
  ...more,
})

const opened: ServerEnd[] = []
afterEach(() => {
  for (const end of opened.splice(0)) end.emit('cancelled')
})

/** A server with one stream to it; `x/Do` is what the test says. */
export function served(method: (text: string, scope: CallScope, trace: Carrier) => Promise<Uint8Array>) {
  const end = new ServerEnd()
  const errors: { code: number }[] = []
  end.on('error', (error) => errors.push(error))
  const answering: ServedMethod = (_, scope, trace, request) => method(Buffer.from(request).toString(), scope, trace)
  const exchange = servedExchange({
    methodOf: (name) => (name === 'x/Do' ? answering : undefined),
    peerOf: () => peer,
  })
  exchange.handle(end.stream)
  opened.push(end)
  return { end, errors, exchange }
}

export const answersOf = (end: ServerEnd) => end.written.flatMap(({ answers }) => answers)

/** Each reply put together from its parts, by the id of its call. */
export function repliesOf(end: ServerEnd): Map<number, Buffer> {
  const parts = new Map<number, Uint8Array[]>()
  const replies = new Map<number, Buffer>()
  for (const { id, outcome } of answersOf(end)) {
    if (outcome.case === 'part') parts.set(id, [...(parts.get(id) ?? []), outcome.value])
    else if (outcome.case === 'reply') {
      expect(replies.has(id)).toBe(false)
      replies.set(id, Buffer.concat([...(parts.get(id) ?? []), outcome.value]))
    }
  }
  return replies
}

export const failureOf = (end: ServerEnd, id: number) => {
  const found = answersOf(end).find((answer) => answer.id === id)
  return found?.outcome.case === 'failure' ? found.outcome.value : undefined
}

/** A method whose calls hang until the test lets them go, by their text. */
export function held() {
  const calls = new Map<
    string,
    { resolve: (reply?: string) => void; reject: (error: unknown) => void; scope: CallScope }
  >()
  const method = (text: string, scope: CallScope) =>
    new Promise<Uint8Array>((resolve, reject) =>
      calls.set(text, { resolve: (reply = text) => resolve(Buffer.from(reply)), reject, scope }),
    )
  return { calls, method }
}
