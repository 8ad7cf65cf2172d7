import { expect, test } from '@jest/globals'
import { isSpanContextValid } from '@opentelemetry/api'
import { carrier, openSpan, traced } from '../src/tracing.ts'

const parent = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }

test('without telemetry work runs outside of any trace, whatever trace its caller names', async () => {
  expect(await traced('work', { parent }, () => Promise.resolve(carrier()))).toEqual({})
  const open = openSpan('work', { parent, links: [parent], attributes: { n: 1 } })
  expect(open.carrier).toEqual({})
  expect(isSpanContextValid(open.span.spanContext())).toBe(false)
  expect(open.run(() => 'done')).toBe('done')
  open.end(new Error('no'))
})

test('without telemetry an error of traced work is thrown unchanged', async () => {
  const error = new Error('no')
  await expect(traced('work', {}, () => Promise.reject(error))).rejects.toBe(error)
})
