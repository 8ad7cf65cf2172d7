import { expect, test } from '@jest/globals'
import { ownsKey, parseKeyOwners } from './key-owners.ts'

test('a key is for the organizations that it was given to, or for all by *, and one that is not listed is for nobody', () => {
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

test('nothing configured is no rule', () => expect(parseKeyOwners([])).toBeNull())

test.each([
  'MAILPROVIDER_A',
  'MAILPROVIDER_A=',
  'DATABASE_URL=acme',
  'MAILPROVIDER_A=Acme Inc.',
  'MAILPROVIDER_A=acme=x',
])('%s is refused', (item) => {
  expect(() => parseKeyOwners([item])).toThrow('must be a comma list')
})

test('a key that is given twice is refused', () => {
  expect(() => parseKeyOwners(['MAILPROVIDER_A=acme', 'MAILPROVIDER_A=globex'])).toThrow('names MAILPROVIDER_A twice')
})
