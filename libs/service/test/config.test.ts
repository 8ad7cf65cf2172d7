import { expect, test } from '@jest/globals'
import { ConfigError, choice, flag, integer, list, readConfig, secret, text, url } from '../src/config.ts'

const variables = {
  port: integer('PORT', { default: 80, min: 1, max: 65_535 }),
  name: text('NAME'),
  key: secret('KEY', { bytesMin: 8 }),
  open: flag('OPEN', { default: false }),
  servers: list('SERVERS', { default: [] }),
  origin: url('ORIGIN', { default: 'http://127.0.0.1/' }),
  level: choice('LEVEL', ['low', 'high'], { default: 'low' }),
}

test('a complete environment becomes typed values, with defaults', () => {
  expect(readConfig(variables, { NAME: 'a', KEY: '12345678', SERVERS: 'x, y,', OPEN: 'true' })).toEqual({
    port: 80,
    name: 'a',
    key: '12345678',
    open: true,
    servers: ['x', 'y'],
    origin: 'http://127.0.0.1',
    level: 'low',
  })
})

test('all problems are reported together, and no secret is shown', () => {
  const read = () =>
    readConfig(variables, { PORT: '70000', KEY: 'hunter2', OPEN: 'yes', LEVEL: 'mid', ORIGIN: 'nowhere' })
  expect(read).toThrow(ConfigError)
  try {
    read()
  } catch (error) {
    const { message } = error as Error
    for (const name of ['PORT', 'NAME', 'KEY', 'OPEN', 'LEVEL', 'ORIGIN']) expect(message).toContain(name)
    expect(message).not.toContain('hunter2')
  }
})
