import { expect, test } from '@jest/globals'
import type { Logger } from '@lettergate/service'
import { workAfterAnswer } from './work-after-answer.ts'

const logged = () => {
  const errors: unknown[] = []
  const log = { error: ({ err }: { err: unknown }) => void errors.push(err) } as unknown as Logger
  return { errors, work: workAfterAnswer(log) }
}

test('stop waits for all work that was added', async () => {
  const { work } = logged()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  work.add(first.promise)
  work.add(second.promise)
  const ended: string[] = []
  const stopping = work.stop().then(() => ended.push('stopped'))
  first.resolve()
  await first.promise
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toEqual([])
  second.resolve()
  await stopping
  expect(ended).toEqual(['stopped'])
})

test('work that fails is logged, and neither stop nor the process fails', async () => {
  const { errors, work } = logged()
  const error = new Error('the database is away')
  work.add(Promise.reject(error))
  work.add(Promise.resolve('done'))
  await work.stop()
  expect(errors).toEqual([error])
})

test('without work, stop returns', async () => {
  const { errors, work } = logged()
  await work.stop()
  expect(errors).toEqual([])
})
