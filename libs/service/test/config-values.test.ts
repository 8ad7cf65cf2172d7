import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  ConfigError,
  choice,
  commonVariables,
  flag,
  integer,
  list,
  readConfig,
  secret,
  text,
  url,
  type Variable,
} from '../src/config.ts'

/** The value of one variable, or the problem that it is. */
function readOne<T>(variable: Variable<T>, raw: string | undefined): { value: T } | { problem: string } {
  try {
    return { value: readConfig({ it: variable }, { [variable.name]: raw }).it }
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    const { problems } = error as ConfigError
    expect(problems).toHaveLength(1)
    return { problem: problems[0]! }
  }
}

test('a whole number is read as it is written, and nothing else is a number', () => {
  const size = integer('SIZE')
  fc.assert(fc.property(fc.maxSafeInteger(), (n) => expect(readOne(size, String(n))).toEqual({ value: n })))
  for (const raw of [
    '1.5',
    '1e3',
    '0x10',
    ' 7',
    '7 ',
    '+7',
    '--7',
    '1_000',
    'NaN',
    'Infinity',
    '9007199254740993',
    '٣',
  ])
    expect(readOne(size, raw)).toEqual({ problem: `SIZE must be a whole number (it is ${JSON.stringify(raw)})` })
})

test('a number may be its limits and nothing outside of them', () => {
  const port = integer('PORT', { min: 1, max: 65_535 })
  fc.assert(
    fc.property(fc.integer({ min: -70_000, max: 140_000 }), (n) => {
      const expected =
        n >= 1 && n <= 65_535
          ? { value: n }
          : { problem: `PORT must lie between 1 and 65535 (it is ${JSON.stringify(String(n))})` }
      expect(readOne(port, String(n))).toEqual(expected)
    }),
  )
  expect([readOne(port, '1'), readOne(port, '65535')]).toEqual([{ value: 1 }, { value: 65_535 }])
})

test.each(['yes', 'TRUE', '1', 'on', 'True', ' true'])('the flag value %j is refused, not taken for false', (raw) => {
  expect(readOne(flag('OPEN', { default: false }), raw)).toEqual({
    problem: `OPEN must be true or false (it is ${JSON.stringify(raw)})`,
  })
})

test('a list has its items in order, without spaces around them and without empty ones', () => {
  const item = fc.stringMatching(/^[a-z0-9:./-]{1,12}$/)
  const space = fc.constantFrom('', ' ', '  ', ',', ' , ')
  fc.assert(
    fc.property(fc.array(fc.tuple(space, item, space), { minLength: 1 }), (parts) => {
      const raw = parts.map(([before, one, after]) => `${before}${one}${after}`).join(',')
      expect(readOne(list('SERVERS'), raw)).toEqual({ value: parts.map(([, one]) => one) })
    }),
  )
  expect(readOne(list('SERVERS'), ' , ,')).toEqual({ value: [] })
})

test('a URL loses its last slash, so that paths can be added, and a text that is none is refused', () => {
  const origin = url('ORIGIN')
  for (const [raw, value] of [
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['https://example.com/base/', 'https://example.com/base'],
    ['postgres://u:p@h/db', 'postgres://u:p@h/db'],
  ] as const)
    expect(readOne(origin, raw)).toEqual({ value })
  for (const raw of ['nowhere', '/path', 'http://', 'exa mple.com'])
    expect(readOne(origin, raw)).toEqual({ problem: `ORIGIN must be a URL (it is ${JSON.stringify(raw)})` })
})

test('a choice is one of its values, exactly', () => {
  const level = choice('LEVEL', ['low', 'high'])
  expect(readOne(level, 'high')).toEqual({ value: 'high' })
  for (const raw of ['High', 'lo', 'toString', '__proto__'])
    expect(readOne(level, raw)).toEqual({ problem: `LEVEL must be one of low, high (it is ${JSON.stringify(raw)})` })
})

test('a text that must match a pattern is refused with the pattern', () => {
  const name = text('NAME', { pattern: /^[a-z]+$/ })
  expect(readOne(name, 'abc')).toEqual({ value: 'abc' })
  expect(readOne(name, 'a b')).toEqual({ problem: 'NAME must match ^[a-z]+$ (it is "a b")' })
})

test('the length of a secret is counted in bytes, and its default may be shorter', () => {
  const key = secret('KEY', { bytesMin: 4 })
  expect(readOne(key, 'éé')).toEqual({ value: 'éé' })
  expect(readOne(key, 'abc')).toEqual({ problem: 'KEY must be at least 4 bytes long' })
  expect(readOne(secret('KEY', { bytesMin: 4, default: '' }), undefined)).toEqual({ value: '' })
})

test('no problem with a secret shows any of its characters', () => {
  const variables = { key: secret('KEY', { bytesMin: 100 }), database: url('DATABASE', { secret: true }) }
  fc.assert(
    fc.property(fc.stringMatching(/^[G-Z0-9]{6,20}$/), (hidden) => {
      try {
        readConfig(variables, { KEY: hidden, DATABASE: hidden })
        throw new Error('it was accepted')
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError)
        expect((error as Error).message).not.toContain(hidden)
        expect((error as ConfigError).problems).toHaveLength(2)
      }
    }),
  )
})

test('an empty variable counts as absent: it takes the default, or is a problem', () => {
  expect(readOne(text('NAME', { default: 'x' }), '')).toEqual({ value: 'x' })
  expect(readOne(integer('SIZE', { default: 0 }), '')).toEqual({ value: 0 })
  expect(readOne(flag('OPEN', { default: true }), '')).toEqual({ value: true })
  for (const raw of ['', undefined]) {
    expect(readOne(text('NAME'), raw)).toEqual({ problem: 'NAME is required' })
    expect(readOne(integer('SIZE'), raw)).toEqual({ problem: 'SIZE is required' })
  }
})

test('each broken variable is one problem, in the order of declaration, and each right one is none', () => {
  const declared = {
    a: integer('A', { min: 0 }),
    b: flag('B'),
    c: choice('C', ['x', 'y']),
    d: url('D'),
    e: secret('E', { bytesMin: 8 }),
    f: text('F'),
  }
  const right = { A: '1', B: 'true', C: 'x', D: 'http://h', E: '12345678', F: 'text' }
  const wrong = { A: '-1', B: 'no', C: 'z', D: 'h', E: 'short', F: '' }
  const names = Object.keys(right) as (keyof typeof right)[]
  fc.assert(
    fc.property(fc.subarray(names), (broken) => {
      const env = { ...right, ...Object.fromEntries(broken.map((name) => [name, wrong[name]])) }
      let problems: readonly string[] = []
      try {
        readConfig(declared, env)
      } catch (error) {
        problems = (error as ConfigError).problems
      }
      expect(problems.map((problem) => problem.split(' ')[0])).toEqual(broken)
    }),
  )
})

test('a service needs a database and a broker, and every other common variable has a default', () => {
  const config = readConfig(commonVariables, { DATABASE_URL: 'postgres://h/db', NATS_URL: 'nats://h' })
  expect(config).toMatchObject({
    bindAddress: '127.0.0.1',
    rpcPort: 0,
    healthPort: 0,
    rpcTimeoutMs: 2_000,
    drainDelayMs: 0,
    logLevel: 'info',
    allowPlaintextPeers: false,
    natsNkeySeed: '',
  })
  expect(() => readConfig(commonVariables, {})).toThrow(
    'the environment is not complete:\n  DATABASE_URL is required\n  NATS_URL is required',
  )
})

test('the password in a database URL is not shown when the URL is wrong', () => {
  expect(() => readConfig(commonVariables, { DATABASE_URL: 'u:hunter2@h/db', NATS_URL: 'nats://h' })).not.toThrow()
  try {
    readConfig(commonVariables, { DATABASE_URL: '//u:hunter2@h/db', NATS_URL: 'nats://h' })
    throw new Error('it was accepted')
  } catch (error) {
    expect((error as Error).message).toContain('DATABASE_URL must be a URL')
    expect((error as Error).message).not.toContain('hunter2')
  }
})
