import { expect, test } from '@jest/globals'
import { ownsKey, parseKeyOwners } from './key-owners.ts'

test('a key may be used by its organizations, or by all with *, and an unlisted key by none', () => {
  const owners = parseKeyOwners(['MAILPROVIDER_A=acme  globex', 'MAILGUN_SHARED=*'])!
  const may = (organization: string, key: string) => ownsKey(owners, organization, key)
  expect([may('acme', 'MAILPROVIDER_A'), may('globex', 'MAILPROVIDER_A'), may('initech', 'MAILPROVIDER_A')]).toEqual([
    true,
    true,
    false,
  ])
  expect([may('initech', 'MAILGUN_SHARED'), may('acme', 'MAILPROVIDER_B'), may('*', 'MAILPROVIDER_A')]).toEqual([
    true,
    false,
    false,
  ])
})

test('an empty configuration means no rule', () => expect(parseKeyOwners([])).toBeNull())

test.each([
  'MAILPROVIDER_A',
  'MAILPROVIDER_A=',
  'DATABASE_URL=acme',
  'MAILPROVIDER_A=Acme Inc.',
  'MAILPROVIDER_A=acme=x',
  'MAILPROVIDER_A=acme--news',
])('%s is refused', (item) => {
  expect(() => parseKeyOwners([item])).toThrow('must be a comma list')
})

test('a duplicate key is refused', () => {
  expect(() => parseKeyOwners(['MAILPROVIDER_A=acme', 'MAILPROVIDER_A=globex'])).toThrow('names MAILPROVIDER_A twice')
})
