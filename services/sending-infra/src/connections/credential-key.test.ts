import { describe, expect, test } from '@jest/globals'
import { parseCredentialKey } from './credential-key.ts'

describe('environment keys of a connection', () => {
  test.each(['MAILPROVIDER_API_KEY', 'MAILGUN_KEY_2', `MAILGUN_${'A'.repeat(100)}`])('%s may be named', (name) => {
    expect(parseCredentialKey(name, 'credential_env_key')).toBe(name)
  })

  test.each([
    'DATABASE_URL',
    'MAILPROVIDER_',
    'MAILPROVIDER',
    'mailprovider_api_key',
    ' MAILPROVIDER_API_KEY',
    'MAILPROVIDER_API_KEY\n',
    'X_MAILPROVIDER_API_KEY',
    'MAILPROVIDER_API-KEY',
    `MAILGUN_${'A'.repeat(101)}`,
    '',
  ])('%j never reaches the environment', (name) => {
    expect(() => parseCredentialKey(name, 'credential_env_key')).toThrow(
      expect.objectContaining({ code: 'invalid_argument', reason: 'credential_env_key' }),
    )
  })
})
