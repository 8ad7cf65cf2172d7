import { expect, test } from '@jest/globals'
import { durabilityRisks } from './durability.ts'

const safe = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }

test.each([
  [{}, []],
  [{ synchronous_commit: 'remote_apply' }, []],
  [{ fsync: 'off' }, ['fsync is off']],
  [{ full_page_writes: 'off' }, ['full_page_writes is off']],
  [{ synchronous_commit: 'off' }, ['synchronous_commit is off']],
  [{ synchronous_commit: 'local' }, ['synchronous_commit is local']],
  [{ synchronous_commit: 'remote_write' }, ['synchronous_commit is remote_write']],
  [
    { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
    ['fsync is off', 'full_page_writes is off', 'synchronous_commit is off'],
  ],
])('a server with %j has these risks: %j', (settings, risks) => {
  const found = durabilityRisks({ ...safe, ...settings })
  expect(found.map((risk) => risk.split(/:| although/)[0])).toEqual(risks)
})
