import { expect, test } from '@jest/globals'
import { printable, printableJson, printableLine } from './printable.ts'

const hostile = 'a\u001b[2J\u009b\u202e\r\nb'

test('a text keeps its lines and loses what controls a terminal', () => {
  expect(printable(hostile)).toBe('a\ufffd[2J\ufffd\ufffd\ufffd\nb')
  expect(printableLine(hostile)).toBe('a\ufffd[2J\ufffd\ufffd\ufffd\ufffdb')
  expect(printable('Łukasz, 山田 ████ 3 %\n')).toBe('Łukasz, 山田 ████ 3 %\n')
})

test('JSON keeps its values', () => {
  const json = printableJson({ hostile })
  expect(JSON.parse(json)).toEqual({ hostile })
  expect(json).toBe('{\n  "hostile": "a\\u001b[2J\\u009b\\u202e\\r\\nb"\n}')
})
