import type { Message } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import type { CallScope } from '@lettergate/service'
import { afterPreconditions } from './preconditions.ts'
import type { Rpc } from './rpcs.ts'

const scope = {} as CallScope

/** An rpc that records its calls. */
const recorded = (name: string, log: unknown[], refusal?: Error): Rpc => ({
  convertRequest: (parts) => ({ name, ...parts }),
  convertReply: () => ({ from: name }),
  call: async (_scope, init, timeoutMs) => {
    log.push([init, timeoutMs])
    if (refusal) throw refusal
    return {} as Message
  },
})

const parts = { path: { audience_id: 'a' }, query: { q: '1' }, body: { b: 1 }, idempotencyKey: 'k' }

test('preconditions are called in order with the path and the body, then the rpc with the complete request', async () => {
  const log: unknown[] = []
  const own = recorded('own', log)
  expect(afterPreconditions(own, [])).toBe(own)
  const guarded = afterPreconditions(own, [recorded('first', log), recorded('second', log)])
  await guarded.call(scope, guarded.convertRequest(parts), 5_000)
  const asked = { path: parts.path, query: {}, body: parts.body, idempotencyKey: undefined }
  expect(log).toEqual([
    [{ name: 'first', ...asked }, 3_000],
    [{ name: 'second', ...asked }, 3_000],
    [{ name: 'own', ...parts }, 5_000],
  ])
  expect(guarded.convertReply({} as Message)).toEqual({ from: 'own' })
})

test('the first refusal is the answer, and no other rpc is called', async () => {
  const log: unknown[] = []
  const refusal = new Error('in use')
  const guarded = afterPreconditions(recorded('own', log), [recorded('first', log, refusal), recorded('second', log)])
  await expect(guarded.call(scope, guarded.convertRequest(parts), 1_000)).rejects.toBe(refusal)
  expect(log).toHaveLength(1)
})
