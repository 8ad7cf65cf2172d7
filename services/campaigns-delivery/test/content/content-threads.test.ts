import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createService, type Service } from '@lettergate/service'
import { openContentThreads, type ContentThreads } from '../../src/content/content-threads.ts'

const light = { subject: 's', html: '<p>Hi</p>', preheader: null, plainText: null, personalizationDefaults: {} }
/** Close to the limits: almost 2 MiB and 200,000 parts. */
const heavy = { ...light, html: '<p style="color:red">text text text text</p>'.repeat(45_000) }
const scope = (ms = 60_000, workspaceId = 'us') => ({
  workspaceId,
  deadline: Date.now() + ms,
  signal: new AbortController().signal,
})
const limits = { contentThreads: 1, contentQueueMax: 4, contentThreadMemoryMb: 256 }

let service: Service
let threads: ContentThreads
const open = async (over: Partial<typeof limits> = {}) => {
  threads = await service.use(openContentThreads(service, { ...limits, ...over }))
}
beforeEach(() => {
  service = createService('content-threads', { logLevel: 'silent' })
})
afterEach(() => service.stop())

const reasonOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    ({ code, reason }: { code: string; reason: string }) => `${code} ${reason}`,
  )

test('a thread prepares content with the same result and the same Faults', async () => {
  await open()
  const { content, validation } = await threads.prepare({ ...light, html: '<p onclick="x">Hi {{ a }}</p>' }, scope())
  expect(content).toMatchObject({ sanitizedHtml: '<p>Hi {{ a }}</p>', plainText: 'Hi {{ a }}' })
  expect(validation).toMatchObject({ valid: true, tokens: ['a'], stripped: { attributes: ['onclick'] } })
  await expect(threads.prepare({ ...light, html: '<p {{ a }}>' }, scope())).rejects.toMatchObject({
    name: 'Fault',
    code: 'invalid_argument',
    reason: 'html',
    message: expect.stringContaining('the name of an attribute'),
  })
})

test('the event loop is not blocked while the largest content is prepared', async () => {
  await open()
  await threads.prepare(light, scope())
  let turns = 0
  let isDone = false
  const done = threads.prepare(heavy, scope()).finally(() => (isDone = true))
  while (!isDone) {
    turns += 1
    await new Promise(setImmediate)
  }
  expect((await done).content.sanitizedHtml.length).toBeGreaterThan(1_900_000)
  // on the event loop there would be only two turns
  expect(turns).toBeGreaterThan(100)
})

test('content beyond the queue limit is refused at once, and waiting content is prepared', async () => {
  await open({ contentQueueMax: 2 })
  await threads.prepare(light, scope())
  const asked = Array.from({ length: 6 }, (_, n) => reasonOf(threads.prepare(light, scope(60_000, `workspace ${n}`))))
  expect((await Promise.all(asked)).toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => 'answered'),
    ...Array.from({ length: 3 }, () => 'unavailable content_busy'),
  ])
  expect(await reasonOf(threads.prepare(light, scope()))).toBe('answered')
})

describe('other workspaces are not delayed', () => {
  test('by a workspace with many large contents: the other workspace is next', async () => {
    await open()
    await threads.prepare(light, scope())
    const large = { ...light, html: heavy.html.slice(0, 44 * 1_000) }
    const ended: string[] = []
    const send = async (workspaceId: string, content: typeof light) => {
      await threads.prepare(content, scope(60_000, workspaceId))
      ended.push(workspaceId)
    }
    await Promise.all([send('them', large), send('them', large), send('them', large), send('us', light)])
    expect(ended).toEqual(['them', 'them', 'us', 'them'])
  })

  test('by content that exceeds its deadline: its thread ends, and the next content gets a new one', async () => {
    await open()
    await threads.prepare(light, scope())
    const slow = reasonOf(threads.prepare(heavy, scope(600)))
    const next = reasonOf(threads.prepare(light, scope()))
    expect(await slow).toBe('unavailable content_too_slow')
    expect(await next).toBe('answered')
  })

  test('by slow content of the same workspace: short content behind it is asked to try again', async () => {
    await open()
    await threads.prepare(light, scope())
    const slow = reasonOf(threads.prepare(heavy, scope()))
    const short = await threads.prepare(light, scope(600)).catch((error: unknown) => error)
    expect(short).toMatchObject({ code: 'unavailable', reason: 'content_busy' })
    expect((short as Error).message).toMatch(/Send it again in a moment/)
    expect((short as Error).message).not.toMatch(/shorten|simplify/)
    expect(await slow).toBe('answered')
  })

  test('by a caller that aborts while its content waits or is prepared', async () => {
    await open()
    const gone = new AbortController()
    const left = [heavy, light].map((content) =>
      reasonOf(threads.prepare(content, { ...scope(), signal: gone.signal })),
    )
    const next = reasonOf(threads.prepare(light, scope()))
    gone.abort()
    expect(await Promise.all(left)).toEqual(['unavailable content_too_slow', 'unavailable content_busy'])
    expect(await next).toBe('answered')
  })

  test('by content that exceeds the memory of its thread: it gets a clear error, and the next content is prepared', async () => {
    await open({ contentThreadMemoryMb: 32 })
    expect(await reasonOf(threads.prepare(light, scope()))).toBe('answered')
    const [died, next] = await Promise.all([
      reasonOf(threads.prepare(heavy, scope())),
      reasonOf(threads.prepare(light, scope())),
    ])
    expect(died).toBe('unavailable content_check_failed')
    expect(next).toBe('answered')
  })
})
