import { expect, test } from '@jest/globals'
import { readConfig } from './config.ts'

const env = { LETTERGATE_TOKEN: 't', LETTERGATE_WORKSPACE: 'acme/newsletter' }

test('groups and tools are enabled by name', () => {
  const { baseUrl, enabled } = readConfig(['--enable', 'changes,scheduleCampaign', '--enable', 'production'], env)
  expect(baseUrl).toBe('http://127.0.0.1:8080')
  expect([...enabled]).toEqual(['changes', 'scheduleCampaign', 'production'])
  expect(readConfig([], env).enabled.size).toBe(0)
})

test.each([
  [[], { LETTERGATE_WORKSPACE: 'a/b' }, 'LETTERGATE_TOKEN'],
  [[], { LETTERGATE_TOKEN: 't' }, 'LETTERGATE_WORKSPACE'],
  [[], { ...env, LETTERGATE_URL: 'http://mail.example.org' }, 'https'],
  [['--enable', 'everything'], env, 'Nothing is called everything'],
  [['--enable', 'getMe'], env, 'Nothing is called getMe'],
  [['--all'], env, 'Unknown argument --all'],
  [['--enable'], env, 'Unknown argument --enable'],
])('%j with %j is refused', (argv, given, message) => {
  expect(() => readConfig(argv, given)).toThrow(message)
})
