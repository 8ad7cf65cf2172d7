import { PassThrough } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { planFor } from '../mail-provider/behaviours.ts'
import { delayQueue } from '../mail-provider/delay-queue.ts'
import { faultPlan, type Faults } from '../mail-provider/faults.ts'
import { Fifo } from '../mail-provider/fifo.ts'
import { BodyTooLarge, BodyUnreadable, bodyBytesMax, readBody, readForm } from '../mail-provider/form.ts'
import { compile, render } from '../mail-provider/template.ts'

/** A request with this body, in pieces. */
function requestOf(type: string, ...pieces: (string | Buffer)[]): IncomingMessage {
  const stream = new PassThrough()
  for (const piece of pieces) stream.write(piece)
  stream.end()
  return Object.assign(stream, { headers: { 'content-type': type } }) as unknown as IncomingMessage
}

const boundary = 'x-boundary'
const multipart = (...parts: [name: string, value: string, filename?: string][]) =>
  parts
    .map(([name, value, filename]) => {
      const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/plain`
      return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
    })
    .join('') + `--${boundary}--\r\n`

test('both kinds of forms have the same fields, with repeated ones in their order', async () => {
  const expected = [
    ['to', ['a@example.com', 'b@example.com']],
    ['subject', ['Grüße & more']],
    ['empty', ['']],
  ]
  const encoded = 'to=a%40example.com&to=b%40example.com&subject=Gr%C3%BC%C3%9Fe+%26+more&empty='
  expect([...(await readForm(requestOf('application/x-www-form-urlencoded', encoded)))]).toEqual(expected)
  const parts = multipart(['to', 'a@example.com'], ['to', 'b@example.com'], ['subject', 'Grüße & more'], ['empty', ''])
  expect([...(await readForm(requestOf(`multipart/form-data; boundary=${boundary}`, parts)))]).toEqual(expected)
})

test('more than a thousand fields are all read', async () => {
  const encoded = Array.from({ length: 3_000 }, (_, n) => `to=${n}`).join('&')
  expect((await readForm(requestOf('application/x-www-form-urlencoded', encoded))).get('to')).toHaveLength(3_000)
})

test('only the name of an attached file is kept', async () => {
  const parts = multipart(['attachment', 'the content', 'report.txt'], ['to', 'a@example.com'])
  const form = await readForm(requestOf(`multipart/form-data; boundary=${boundary}`, parts))
  expect([...form]).toEqual([
    ['attachment', ['report.txt']],
    ['to', ['a@example.com']],
  ])
})

test('a form without its boundary cannot be read', async () => {
  await expect(readForm(requestOf('multipart/form-data', 'x'))).rejects.toThrow(BodyUnreadable)
})

test('a body of the maximum size is read in any pieces, and one byte more is refused', async () => {
  const half = Buffer.alloc(bodyBytesMax / 2)
  expect(await readBody(requestOf('text/plain', half, half))).toHaveLength(bodyBytesMax)
  await expect(readBody(requestOf('text/plain', half, half, 'x'))).rejects.toThrow(BodyTooLarge)
})

describe('the delay queue', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  test('passes every item on after its delay, and items with the same delay in their order', () => {
    const seen: string[] = []
    const queue = delayQueue<string>((item) => seen.push(item))
    queue.push('slow 1', 300)
    queue.push('fast 1', 100)
    queue.push('fast 2', 100)
    jest.advanceTimersByTime(50)
    queue.push('fast 3', 100)
    expect([seen, queue.length]).toEqual([[], 4])
    jest.advanceTimersByTime(60)
    expect(seen).toEqual(['fast 1', 'fast 2'])
    jest.advanceTimersByTime(60)
    expect(seen).toEqual(['fast 1', 'fast 2', 'fast 3'])
    jest.advanceTimersByTime(200)
    expect([seen.at(-1), queue.length]).toEqual(['slow 1', 0])
    expect(jest.getTimerCount()).toBe(0)
  })

  test('accepts items while it passes others on', () => {
    const seen: number[] = []
    const queue = delayQueue<number>((item) => {
      seen.push(item)
      if (item < 5) queue.push(item + 1, 10)
    })
    queue.push(1, 10)
    jest.advanceTimersByTime(200)
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })

  test('passes nothing on after it was stopped', () => {
    const seen: number[] = []
    const queue = delayQueue<number>((item) => seen.push(item))
    queue.push(1, 10)
    queue.stop()
    jest.advanceTimersByTime(1_000)
    expect(seen).toEqual([])
  })
})

test('a first-in first-out queue returns the same items as an array, also after it has moved its items', () => {
  const queue = new Fifo<number>()
  const model: number[] = []
  let next = 0
  for (let round = 0; round < 8_000; round += 1) {
    if (round % 3 !== 2 || round < 3_000) {
      queue.push(next)
      model.push(next)
      next += 1
    }
    if (round % 2 === 0 || round > 5_000) expect(queue.shift()).toBe(model.shift())
    if (round % 500 === 0) {
      expect(queue.length).toBe(model.length)
      expect([queue.at(0), queue.at(7)]).toEqual([model[0], model[7]])
    }
  }
  queue.clear()
  expect([queue.length, queue.shift(), queue.at(0)]).toEqual([0, undefined, undefined])
})

describe('the fault plan', () => {
  const failing: Faults = { mode: 'server_error', rate: 1, latencyMs: 0 }

  test('applies faults of a domain to every call about it, for each form of the path and the name', () => {
    const plan = faultPlan()
    plan.setOf('News.Example.com', failing)
    for (const path of [
      '/v3/news.example.com/messages',
      '/v3/NEWS.example.com/messages?x=1',
      '/v3/domains/news.example.com/webhooks',
      '/v4/domains/news.example.com',
    ])
      expect(plan.of(path)).toBe(failing)
    for (const path of ['/v3/other.example.com/messages', '/v4/domains', '/', '/sim/state'])
      expect(plan.of(path)).toMatchObject({ mode: 'none' })
  })

  test('the faults of all calls replace those of single domains', () => {
    const plan = faultPlan()
    plan.setOf('news.example.com', failing)
    plan.setAll({ mode: 'rate_limit', rate: 1, latencyMs: 0 })
    expect(plan.of('/v3/news.example.com/messages')).toMatchObject({ mode: 'rate_limit' })
  })
})

const ada = {
  address: 'ada@example.com',
  name: 'Ada King Lovelace',
  values: { city: 'London', n: 7, none: null, o: { a: 1 } },
}

test.each([
  ['no place', 'no place'],
  ['to %recipient%, %recipient_email%', 'to ada@example.com, ada@example.com'],
  ['%recipient_fname%|%recipient_lname%|%recipient_name%', 'Ada|King Lovelace|Ada King Lovelace'],
  ['%recipient.city%%recipient.n%%recipient.none%', 'London7'],
  ['%recipient.o%', '{"a":1}'],
  ['%recipient.missing% stays', '%recipient.missing% stays'],
  ['100% sure, 50%recipient', '100% sure, 50%recipient'],
  ['%recipient.city% and %recipient.city%', 'London and London'],
  ['%recipient.with space%', '%recipient.with space%'],
])('the template %j becomes %j for its recipient', (source, text) => {
  expect(render(compile(source), ada)).toBe(text)
})

test('a value that looks like a placeholder is not replaced again', () => {
  const values = { a: '%recipient.b%', b: 'secret' }
  expect(render(compile('%recipient.a%'), { ...ada, values })).toBe('%recipient.b%')
})

test.each([
  ['anna@example.com', ['delivered']],
  ['anna+HardBounce@example.com', ['permanent_fail']],
  ['anna+news+softthenok@example.com', ['temporary_fail', 'delivered']],
  ['anna+silent@example.com', []],
  ['anna+unknown@example.com', ['delivered']],
  ['hardbounce@example.com', ['delivered']],
  ['anna+click@x@example.com', ['delivered']],
])('what happens to a message to %s is %j', (address, kinds) => {
  expect(planFor(address).map(({ kind }) => kind)).toEqual(kinds)
})
