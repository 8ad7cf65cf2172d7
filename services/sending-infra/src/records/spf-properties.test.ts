import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { DnsAnswer } from './dns-answer.ts'
import { evaluateDmarc } from './dmarc.ts'
import { evaluateSpf } from './spf.ts'

/** The evaluation of a receiver: mailauth's implementation of RFC 7208, for a message from an address of the provider. */
const { spf: receive } = createRequire(import.meta.url)('mailauth/lib/spf') as {
  spf: (this: void, options: object) => Promise<{ status: { result: string } }>
}

type Zone = Readonly<Record<string, readonly string[]>>
const provider: Zone = { 'TXT mailgun.org': ['v=spf1 ip4:192.0.2.0/24 -all'] }

const names = ['mail.acme.test', 'a.test', 'b.test', 'c.test'] as const
const name = fc.constantFrom(...names, 'mailgun.org', 'mailgun.org', 'mailgun.org', 'gone.test')
const host = fc.constantFrom('here.test', 'there.test', 'void1.test', 'void2.test')
const qualifier = fc.constantFrom('', '', '', '+', '?', '~', '-')
const term = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(qualifier, name).map(([sign, target]) => `${sign}include:${target}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(qualifier, fc.constantFrom('a', 'mx', 'exists'), host)
      .map(([sign, kind, target]) => `${sign}${kind}:${target}`),
  },
  fc.constantFrom('ip4:203.0.113.1', 'ip6:2001:db8::1', '?a', '-mx', '~all', '-all', 'x-unknown=1', 'nonsense', 'ip4:'),
  name.map((target) => `redirect=${target}`),
)
const record = fc.array(term, { maxLength: 7 }).map((terms) => ['v=spf1', ...terms].join(' '))
const records = fc.oneof(
  { weight: 8, arbitrary: record.map((one) => [one]) },
  fc.constantFrom<string[]>([], ['v=spf1 -all', 'v=spf1 ~all'], ['something else']),
)
const zones = fc.tuple(...names.map(() => records)).map((written): Zone => ({
  ...provider,
  ...Object.fromEntries(names.map((owner, index) => [`TXT ${owner}`, written[index]!])),
  ...Object.fromEntries(
    ['here.test', 'there.test', ...names].flatMap((there) => [
      [`A ${there}`, ['198.51.100.1']],
      [`AAAA ${there}`, ['2001:db8::2']],
      [`MX ${there}`, ['10 here.test']],
    ]),
  ),
}))

const asking =
  (zone: Zone, queries: string[]) =>
  async (domain: string, type: string): Promise<DnsAnswer> => {
    queries.push(`${type} ${domain}`)
    const values = zone[`${type} ${domain}`] ?? []
    return values.length === 0 ? { kind: 'none' } : { kind: 'records', values }
  }

async function receiverSays(zone: Zone): Promise<string> {
  const resolver = async (domain: string, type: string) => {
    const values = zone[`${type} ${domain}`] ?? []
    if (values.length === 0) throw Object.assign(new Error('nothing'), { code: 'ENOTFOUND' })
    if (type === 'TXT') return values.map((value) => [value])
    return type === 'MX' ? values.map((value) => ({ priority: 10, exchange: value.split(' ')[1] })) : values
  }
  const found = await receive({
    resolver,
    ip: '192.0.2.7',
    helo: 'mta.mailgun.org',
    sender: 'bounce@mail.acme.test',
    mta: 'mx.receiver.test',
    strict: true,
  })
  return found.status.result
}

test('a receiver passes every record that we call verified', async () => {
  let verified = 0
  await fc.assert(
    fc.asyncProperty(zones, async (zone) => {
      const finding = await evaluateSpf('mail.acme.test', 'mailgun.org', asking(zone, []))
      if (finding.state !== 'verified') return
      verified += 1
      expect(await receiverSays(zone)).toBe('pass')
    }),
    { numRuns: 2_000 },
  )
  expect(verified).toBeGreaterThan(20)
})

test('any DNS content is evaluated with a limited number of queries', async () => {
  const hostile = fc.dictionary(
    fc.constantFrom(...names.map((owner) => `TXT ${owner}`)),
    fc.array(
      fc.oneof(
        fc.string().map((text) => `v=spf1 ${text}`),
        fc.string({ unit: 'binary' }),
        record,
      ),
      { maxLength: 3 },
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(hostile, zones), async (zone) => {
      const queries: string[] = []
      const { state, lookups } = await evaluateSpf(
        'mail.acme.test',
        'mailgun.org',
        asking({ ...provider, ...zone }, queries),
      )
      expect(['verified', 'failed']).toContain(state)
      expect(queries.length).toBeLessThanOrEqual(1 + 2 * 10)
      expect(lookups).toBeLessThanOrEqual(11)
    }),
    { numRuns: 1_000 },
  )
})

test('an applied DMARC record belongs to the domain or a parent domain, and has a valid policy', async () => {
  const owners = ['mail.acme.test', 'acme.test', 'test', 'other.test'] as const
  const tag = fc.oneof(
    fc.constantFrom(
      'p=none',
      'p=quarantine',
      'p=reject',
      'p=x',
      'sp=none',
      'sp=y',
      'adkim=s',
      'adkim=r',
      'psd=y',
      'psd=n',
      't=y',
      'rua=mailto:a@b.test',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const text = fc.oneof(
    fc.array(tag, { maxLength: 4 }).map((tags) => ['v=DMARC1', ...tags].join('; ')),
    fc.string({ unit: 'binary' }),
  )
  const zone = fc.dictionary(
    fc.constantFrom(...owners.map((owner) => `TXT _dmarc.${owner}`)),
    fc.array(text, { maxLength: 2 }),
  )
  await fc.assert(
    fc.asyncProperty(zone, async (written) => {
      const queries: string[] = []
      const finding = await evaluateDmarc('mail.acme.test', asking(written, queries))
      expect(queries.length).toBeLessThanOrEqual(8)
      if (finding.state !== 'verified') return
      expect(['mail.acme.test', 'acme.test', 'test']).toContain(finding.recordDomain)
      expect(written[`TXT _dmarc.${finding.recordDomain}`]!.map((text) => text.trim())).toContain(finding.record)
      expect(finding.detail).toMatch(/p=(none|quarantine|reject)\.$/)
    }),
    { numRuns: 1_000 },
  )
})
