import { expect, test } from '@jest/globals'
import { outcomesOf, percentage } from './report.ts'

test('the sum of the four outcomes is sent, for any numbers', () => {
  for (const [sent, delivered, hardBounced, softFailedOnly] of [
    [0, 0, 0, 0],
    [10, 10, 0, 0],
    [10, 3, 2, 1],
    [7, 0, 0, 7],
  ] as const) {
    const outcomes = outcomesOf({ sent, delivered, hardBounced, softFailedOnly })
    expect(outcomes.delivered + outcomes.hardBounced + outcomes.softFailedOnly + outcomes.noTerminalEvent).toBe(sent)
  }
})

test('rates are percentages with two decimals, and absent when nothing was sent', () => {
  expect(outcomesOf({ sent: 3, delivered: 2, hardBounced: 1, softFailedOnly: 0 })).toMatchObject({
    deliveryRate: 66.67,
    bounceRate: 33.33,
  })
  expect(outcomesOf({ sent: 0, delivered: 0, hardBounced: 0, softFailedOnly: 0 })).toMatchObject({
    deliveryRate: undefined,
    bounceRate: undefined,
  })
  expect(percentage(1, 1_000_000)).toBe(0)
})

test('totals that do not add up throw an error', () => {
  expect(() => outcomesOf({ sent: 1, delivered: 2, hardBounced: 0, softFailedOnly: 0 })).toThrow('more outcomes')
})
