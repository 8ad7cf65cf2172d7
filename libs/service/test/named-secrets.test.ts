import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { flag } from '../src/config.ts'
import { isNamedSecret, namedSecrets } from '../src/named-secrets.ts'

const env = {
  MAILPROVIDER_API_KEY: 'an-api-key',
  MAILPROVIDER_EMPTY: '',
  MAILPROVIDER_OWN: 'true',
  MAILPROVIDER_US_BASE_URL: 'https://api.mailgun.example',
  MAILPROVIDER_EU_BASE_URL: 'https://api.eu.mailgun.example',
  MAILPROVIDER_TIMEOUT_MS: '5000',
  DATABASE_URL: 'postgres://secret',
}
const secret = namedSecrets(env, { own: flag('MAILPROVIDER_OWN', { default: false }) })

test('a secret of the mail provider is found by its name', () =>
  expect(secret('MAILPROVIDER_API_KEY')).toBe('an-api-key'))

test.each([
  'MAILPROVIDER_EMPTY',
  'MAILPROVIDER_UNSET',
  'MAILPROVIDER_OWN',
  'DATABASE_URL',
  'constructor',
  // settings of other services in a shared environment: their values are known, so they cannot be signing keys
  'MAILPROVIDER_US_BASE_URL',
  'MAILPROVIDER_EU_BASE_URL',
  'MAILPROVIDER_TIMEOUT_MS',
])('%s is not a secret', (name) => expect(secret(name)).toBeUndefined())

test('no setting of a service is a secret of another service', () => {
  const configs = ['sending-infra', 'campaigns-delivery', 'webhook-intake'].map((service) =>
    readFileSync(new URL(`../../../services/${service}/src/config.ts`, import.meta.url), 'utf8'),
  )
  const settings = configs
    .flatMap((text) => [...text.matchAll(/'([A-Z][A-Z0-9_]+)'/g)])
    .map(([, name]) => name!)
    .filter(isNamedSecret)
  expect(settings).toContain('MAILPROVIDER_US_BASE_URL')
  const shared = namedSecrets(Object.fromEntries(settings.map((name) => [name, 'a value'])), {})
  expect(settings.filter((name) => shared(name) !== undefined)).toEqual([])
})
