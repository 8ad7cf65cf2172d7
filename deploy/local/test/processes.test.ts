import { expect, test } from '@jest/globals'
import { loadConfig } from '../launcher/config.ts'
import { planProcesses } from '../launcher/processes.ts'

test('every service of the local stack listens on this machine alone, for its ports believe whoever calls', () => {
  const processes = planProcesses({
    config: loadConfig(),
    secrets: {
      preferenceSigningKeys: 'k',
      consentProofSigningKey: 'p',
      campaignWebhookKeys: 'c',
      walletClientSecret: 's',
    },
    databaseUrl: 'postgres://postgres@127.0.0.1:1/postgres',
    natsUrl: 'nats://127.0.0.1:1',
    natsNamespace: '',
    port: () => 1,
  })
  const services = processes.filter(({ main }) => main.startsWith('services/'))
  expect(services.length).toBeGreaterThan(6)
  expect(services.map(({ environment }) => environment['BIND_ADDRESS'])).toEqual(services.map(() => '127.0.0.1'))
})
