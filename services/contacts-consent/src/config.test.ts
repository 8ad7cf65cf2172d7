import { expect, test } from '@jest/globals'
import { loadConfig } from './config.ts'

const key = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString('base64url')}`
const load = (hours: string, days: string) =>
  loadConfig({
    DATABASE_URL: 'postgres://localhost/x',
    NATS_URL: 'nats://localhost',
    BASE_URL: 'http://localhost',
    PREFERENCE_SIGNING_KEYS: key(1),
    CONSENT_PROOF_SIGNING_KEY: key(2),
    ERASURE_HASH_KEYS: key(3),
    IMPORT_TTL_HOURS: hours,
    IMPORT_ROWS_KEEP_DAYS: days,
  })

test('the ledger must outlive the imports, or the process does not start', () => {
  expect(load('168', '8')).toMatchObject({ importTtlHours: 168, importRowsKeepDays: 8 })
  expect(() => load('169', '8')).toThrow(/IMPORT_ROWS_KEEP_DAYS must be at least 9 with IMPORT_TTL_HOURS 169/)
})
