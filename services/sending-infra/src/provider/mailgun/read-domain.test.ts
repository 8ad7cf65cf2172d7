import { describe, expect, test } from '@jest/globals'
import { dkimRecordOf, readDomain, spfRecordOf } from './read-domain.ts'
import { readWebhooks } from './read-webhooks.ts'

const answer = {
  domain: {
    id: 'abc',
    name: 'Mail.Acme.test',
    state: 'active',
    smtp_login: 'postmaster@mail.acme.test',
    smtp_password: 'secret-word',
    wildcard: false,
  },
  sending_dns_records: [
    {
      name: 'mail.acme.test',
      record_type: 'TXT',
      valid: 'valid',
      value: 'v=spf1 include:mailgun.org ~all',
      cached: [],
    },
    { name: 'K1._domainkey.mail.acme.test.', record_type: 'TXT', valid: 'unknown', value: 'k=rsa; p=AAA' },
    { name: 's2._domainkey.acme.test', record_type: 'CNAME', valid: 'unknown', value: 's2.keys.mailgun.org' },
    { name: 'email.mail.acme.test', record_type: 'CNAME', valid: 'valid', value: 'mailgun.org' },
    { name: 'broken', record_type: 'TXT', valid: 'valid' },
    { name: 'broken', record_type: 'TXT', value: 'a\u0000b' },
    'nonsense',
    null,
  ],
}

describe('a domain as the provider answers it', () => {
  test('only the state and the sending records are read, never the SMTP login', () => {
    const domain = readDomain(answer)!
    expect(domain).toMatchObject({ reference: 'abc', name: 'mail.acme.test', state: 'active' })
    expect(domain.records.map(({ name }) => name)).toEqual([
      'mail.acme.test',
      'k1._domainkey.mail.acme.test',
      's2._domainkey.acme.test',
      'email.mail.acme.test',
    ])
    expect(JSON.stringify(domain)).not.toMatch(/smtp|postmaster|secret-word/)
  })

  test('the DKIM record is the one with the given selector, or the first one', () => {
    const { records } = readDomain(answer)!
    expect(dkimRecordOf(records)).toMatchObject({ selector: 'k1', signingDomain: 'mail.acme.test', type: 'TXT' })
    expect(dkimRecordOf(records, 's2')).toMatchObject({ selector: 's2', signingDomain: 'acme.test', type: 'CNAME' })
    expect(dkimRecordOf(records, 'gone')).toBeUndefined()
    expect(dkimRecordOf([])).toBeUndefined()
    expect(spfRecordOf(records)!.value).toBe('v=spf1 include:mailgun.org ~all')
    expect(spfRecordOf([])).toBeUndefined()
  })

  test.each([
    [{}],
    [[]],
    [{ domain: null }],
    [{ domain: { name: 'x.test' } }],
    [{ domain: 'x.test', sending_dns_records: [] }],
  ])('%j is not a domain', (other) => {
    expect(readDomain(other)).toBeUndefined()
  })

  test('a domain without records is valid', () => {
    expect(readDomain({ domain: { name: 'x.test', state: 'unverified' } })).toMatchObject({
      reference: null,
      records: [],
    })
  })
})

describe('webhooks as the provider answers them', () => {
  test('kinds without URLs are empty, and the old form with one URL is also read', () => {
    const webhooks = readWebhooks({
      webhooks: {
        opened: { urls: ['https://a.test', 7, 'https://b.test'] },
        clicked: { url: 'https://c.test' },
        delivered: null,
        unheard_of: { urls: ['https://d.test'] },
      },
    })
    expect(webhooks).toMatchObject({
      opened: ['https://a.test', 'https://b.test'],
      clicked: ['https://c.test'],
      delivered: [],
      accepted: [],
    })
    expect(Object.keys(webhooks!)).toHaveLength(8)
  })

  test.each([[{}], [{ webhooks: null }], [{ webhooks: [] }], [[]]])('%j are no webhooks', (other) => {
    expect(readWebhooks(other)).toBeUndefined()
  })
})
