import { afterEach, beforeEach, jest } from '@jest/globals'
import { openExchange } from '../src/exchange.ts'
import { contentOf, memoryChannel, type ClientEnd } from './memory-stream.ts'

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  jest.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

const waiting = new AbortController().signal
export const unavailable = { code: 'unavailable' }

/** The way to one other service, whose channels the test holds. */
export function opened(renewEveryMs = 3_600_000) {
  const channels: ReturnType<typeof memoryChannel>[] = []
  const exchange = openExchange({
    target: '10.0.0.1:1',
    name: 'lettergate.x.v1.X',
    openChannel() {
      const made = memoryChannel()
      channels.push(made)
      return made.channel
    },
    renewEveryMs,
  })
  const call = (text: string | Buffer, more: Parameters<typeof contentOf>[1] = {}, signal = waiting) => {
    const called = exchange.call(contentOf(text, more), signal).then((reply) => Buffer.from(reply).toString())
    called.catch(() => undefined)
    return called
  }
  const stream = (channel = 0): ClientEnd => channels[channel]!.streams.at(-1)!
  return { exchange, channels, call, stream }
}

export const textsOf = (end: ClientEnd) => end.written.map(({ calls }) => calls.map(({ request }) => String(request)))
