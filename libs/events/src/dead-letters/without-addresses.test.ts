import { expect, test } from '@jest/globals'
import { withoutAddresses } from './without-addresses.ts'

test.each([
  ['no row for ada.lovelace+tag@mail.example.com here', 'no row for [address] here'],
  ['Key (email)=(ada@example.com) already exists', 'Key (email)=([address]) already exists'],
  ['{"email":"ada@example.com","to":<bob@example.org>}', '{"email":"[address]","to":<[address]>}'],
  ['GET /people/ada%40example.com failed', 'GET [address] failed'],
  ['größe@bücher.example, ada@localhost', '[address], [address]'],
  ['connect ECONNREFUSED 10.20.30.40:5432', 'connect ECONNREFUSED [address]:5432'],
  ['from 2001:db8:0:0:1:0:0:1 and ::ffff:0:1', 'from [address] and [address]'],
])('%s', (text, cleaned) => {
  expect(withoutAddresses(text)).toBe(cleaned)
})

test.each([
  'duplicate key value violates unique constraint "contacts_email_key"',
  'Fault: There is no run 0195f7e0-0000-7000-8000-000000000001 at 12:30:45.',
  'version 1.2.3',
])('other text stays: %s', (text) => {
  expect(withoutAddresses(text)).toBe(text)
})
