import { expect, test } from '@jest/globals'
import { openBody } from '../edge/body.ts'

const message = '5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: 1\r\n\r\n'

test('the end of a chunked body is found with any division into pieces', () => {
  for (let size = 1; size <= message.length; size += 1) {
    const body = openBody({ kind: 'chunked' })
    let taken = 0
    const bytes = Buffer.from(`${message}GET /`)
    for (let at = 0; at < bytes.length && !body.isComplete(); at += size)
      taken += body.take(bytes.subarray(at, at + size))
    expect({ size, taken, complete: body.isComplete() }).toEqual({ size, taken: message.length, complete: true })
  }
})

test('a body with a length ends after that number of bytes, and a body without one ends with its connection', () => {
  const body = openBody({ kind: 'length', bytes: 5 })
  expect([body.take(Buffer.from('abc')), body.isComplete()]).toEqual([3, false])
  expect([body.take(Buffer.from('defg')), body.isComplete()]).toEqual([2, true])
  const open = openBody({ kind: 'until close' })
  expect([open.take(Buffer.from('abc')), open.isComplete()]).toEqual([3, false])
})

test.each(['x\r\n', '\r\n', '1 2\r\n', '0x1\r\n', '123456789\r\n', '1\nA', '1\r\nAB', `1;${'y'.repeat(5_000)}`])(
  'chunks that another server could read in another way are refused: %j',
  (text) => {
    const body = openBody({ kind: 'chunked' })
    expect(() => body.take(Buffer.from(`${text}\r\n0\r\n\r\n`))).toThrow()
  },
)
