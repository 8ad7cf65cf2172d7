import { expect, test } from '@jest/globals'
import { loadConfig } from './config.ts'

const env = {
  DATABASE_URL: 'postgres://localhost/x',
  NATS_URL: 'nats://localhost',
  CONTACTS_CONSENT_TARGET: 'x',
  IDENTITY_TARGET: 'x',
  SENDING_INFRA_TARGET: 'x',
}
const load = (hours: string, days: string) =>
  loadConfig({ ...env, IMPORT_TTL_HOURS: hours, IMPORT_ROWS_KEEP_DAYS: days })

test('the ledger must outlive the imports, or the process does not start and says how to set both', () => {
  expect(load('168', '8')).toMatchObject({ importTtlHours: 168, importRowsKeepDays: 8 })
  expect(() => load('169', '8')).toThrow(/IMPORT_ROWS_KEEP_DAYS must be at least 9 with IMPORT_TTL_HOURS 169/)
  expect(() => load('8760', '')).toThrow(/at least 366 .*\(it is 30\)\. Set the same values for imports and contacts/)
})
