import { expect, test } from '@jest/globals'
import { isAllowed, parseAllowlist } from './allowlist.ts'

const list = parseAllowlist(['Ada@Example.test', '@acme.test', 'jo@bücher.test', '@Müller.test'])

test.each([
  ['ada@example.test', true],
  ['ada+x@example.test', false],
  ['bob@example.test', false],
  ['anybody@acme.test', true],
  ['anybody@sub.acme.test', false],
  ['anybody@notacme.test', false],
  ['jo@xn--bcher-kva.test', true],
  ['x@xn--mller-kva.test', true],
])('%s is allowed: %s', (address, allowed) => expect(isAllowed(list, address)).toBe(allowed))

test('an empty list allows nobody', () => expect(isAllowed(parseAllowlist([]), 'ada@example.test')).toBe(false))

test.each(['acme.test', '@', 'ada@', 'a b@acme.test', '*'])('%s is refused at start', (entry) =>
  expect(() => parseAllowlist([entry])).toThrow(/neither/),
)
