import { expect, test } from '@jest/globals'
import { batchRowsMax, rowBatch } from './row-batch.ts'

const row = (address: string, ...values: string[]) => ({ address, status: '' as const, values: [address, ...values] })

test('rows travel by column, with their numbers and the status that was decided for them', () => {
  const batch = rowBatch(['email', 'first_name'], 1_000)
  batch.add(3, row('ada@example.org', 'Ada'), 'subscribed')
  batch.add(7, row('grace@example.org', ''), 'suppressed')
  expect(batch.rows).toBe(2)
  expect(batch.take()).toEqual({
    rowNumbers: [3, 7],
    columns: [
      { target: 'email', values: 'ada@example.org\u001fgrace@example.org' },
      { target: 'first_name', values: 'Ada\u001f' },
      { target: 'status', values: 'subscribed\u001fsuppressed' },
    ],
  })
  expect(batch.rows).toBe(0)
  expect(batch.take().rowNumbers).toEqual([])
})

test('a batch is full with the most rows of a call, or with values that fill a message', () => {
  const many = rowBatch(['email'], batchRowsMax.apply)
  for (let n = 1; n <= batchRowsMax.apply; n += 1) {
    expect(many.isFull()).toBe(false)
    many.add(n, row(`p${n}@example.org`), '')
  }
  expect(many.isFull()).toBe(true)

  const long = rowBatch(['email', 'company'], batchRowsMax.evaluate)
  const company = 'x'.repeat(30_000)
  let rows = 0
  for (; !long.isFull(); rows += 1) long.add(rows + 1, row(`p${rows}@example.org`, company), '')
  expect(rows).toBeLessThan(100)
  long.take()
  expect(long.isFull()).toBe(false)
})
