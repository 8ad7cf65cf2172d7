import { describe, expect, test } from '@jest/globals'
import type { DnsAnswer } from './dns-answer.ts'
import { evaluateSpf, includedName } from './spf.ts'

type Zone = Record<string, readonly string[] | 'no_answer'>

/** Every record type except TXT exists, unless the zone has an entry for `<type> <name>`. */
const asking =
  (zone: Zone) =>
  async (name: string, type: string): Promise<DnsAnswer> => {
    const values = type === 'TXT' ? zone[name] : (zone[`${type} ${name}`] ?? ['192.0.2.9'])
    if (values?.length === 0) return { kind: 'none' }
    if (values === undefined) return { kind: 'none' }
    return values === 'no_answer' ? { kind: 'no_answer', why: 'timeout' } : { kind: 'records', values }
  }

const provider: Zone = { 'mailgun.org': ['v=spf1 ip4:192.0.2.0/24 -all'] }
const evaluate = (zone: Zone) => evaluateSpf('mail.acme.test', 'mailgun.org', asking({ ...provider, ...zone }))

describe('SPF', () => {
  test.each<[string, Zone, number]>([
    ['a direct include', { 'mail.acme.test': ['v=spf1 include:mailgun.org ~all'] }, 1],
    ['upper case and a trailing dot', { 'mail.acme.test': ['V=SPF1 INCLUDE:Mailgun.org. ~all'] }, 1],
    ['an explicit pass', { 'mail.acme.test': ['v=spf1 +include:mailgun.org -all'] }, 1],
    [
      'additional TXT records',
      { 'mail.acme.test': ['google-site-verification=x', 'v=spf1 include:mailgun.org -all'] },
      1,
    ],
    [
      'an include within an include',
      { 'mail.acme.test': ['v=spf1 include:acme.test -all'], 'acme.test': ['v=spf1 mx include:mailgun.org -all'] },
      3,
    ],
    [
      'a redirect',
      { 'mail.acme.test': ['v=spf1 redirect=acme.test'], 'acme.test': ['v=spf1 include:mailgun.org -all'] },
      2,
    ],
    ['a redirect to the provider itself', { 'mail.acme.test': ['v=spf1 redirect=mailgun.org'] }, 1],
    ['a redirect written before the mechanisms', { 'mail.acme.test': ['v=spf1 redirect=mailgun.org a'] }, 2],
    [
      'the same include reached by two ways',
      {
        'mail.acme.test': ['v=spf1 include:a.test include:mailgun.org -all'],
        'a.test': ['v=spf1 include:mailgun.org -all'],
      },
      3,
    ],
    ['exactly ten lookups', { 'mail.acme.test': [`v=spf1 include:mailgun.org ${'a:h.test '.repeat(9)}-all`] }, 10],
    [
      'terms that cost nothing',
      {
        'mail.acme.test': [
          `v=spf1 ${'ip4:192.0.2.1 '.repeat(30)}ip6:2001:db8::/32 include:mailgun.org exp=e.test x-new=1 -all`,
        ],
      },
      1,
    ],
    [
      'a macro that depends on the message',
      { 'mail.acme.test': ['v=spf1 exists:%{i}.x.test include:%{d}.y.test include:mailgun.org -all'] },
      3,
    ],
  ])('%s authorises the provider', async (_, zone, lookups) => {
    expect(await evaluate(zone)).toMatchObject({ state: 'verified', lookups })
  })

  test.each<[string, Zone, RegExp]>([
    ['no record', {}, /has no SPF record/],
    [
      'other TXT records only',
      { 'mail.acme.test': ['v=spf10 include:mailgun.org', 'spf2.0/pra'] },
      /has no SPF record/,
    ],
    ['two records', { 'mail.acme.test': ['v=spf1 include:mailgun.org -all', 'v=spf1 -all'] }, /2 SPF records/],
    ['a record without the provider', { 'mail.acme.test': ['v=spf1 a mx -all'] }, /does not include mailgun\.org/],
    ['an include behind all', { 'mail.acme.test': ['v=spf1 -all include:mailgun.org'] }, /before its "all"/],
    ['a redirect beside all', { 'mail.acme.test': ['v=spf1 redirect=mailgun.org -all'] }, /does not include/],
    ['an include that fails', { 'mail.acme.test': ['v=spf1 -include:mailgun.org ~all'] }, /does not include/],
    [
      'an include under a failing include',
      { 'mail.acme.test': ['v=spf1 ?include:a.test -all'], 'a.test': ['v=spf1 include:mailgun.org -all'] },
      /does not include/,
    ],
    [
      'a redirect after a failing include',
      { 'mail.acme.test': ['v=spf1 ~include:mailgun.org redirect=mailgun.org'] },
      /does not include/,
    ],
    [
      'an include after one that matches everything',
      { 'mail.acme.test': ['v=spf1 -include:a.test include:mailgun.org'], 'a.test': ['v=spf1 +all'] },
      /does not include/,
    ],
    [
      'a name with the same ending',
      { 'mail.acme.test': ['v=spf1 include:notmailgun.org -all'], 'notmailgun.org': ['v=spf1 -all'] },
      /does not include/,
    ],
    [
      'a loop to itself',
      { 'mail.acme.test': ['v=spf1 include:mail.acme.test include:mailgun.org -all'] },
      /leads back/,
    ],
    [
      'a loop over two names',
      { 'mail.acme.test': ['v=spf1 include:a.test'], 'a.test': ['v=spf1 redirect=mail.acme.test'] },
      /leads back/,
    ],
    [
      'eleven lookups',
      { 'mail.acme.test': [`v=spf1 include:mailgun.org ${'a:h.test '.repeat(10)}-all`] },
      /more than 10 lookups/,
    ],
    [
      'eleven lookups over several records',
      {
        'mail.acme.test': ['v=spf1 include:a.test include:b.test include:mailgun.org -all'],
        'a.test': ['v=spf1 a mx ptr a:x.test mx:y.test'],
        'b.test': ['v=spf1 a mx a:z.test'],
      },
      /more than 10 lookups/,
    ],
    [
      'an included name without a record',
      { 'mail.acme.test': ['v=spf1 include:gone.test include:mailgun.org -all'] },
      /gone\.test has no SPF record/,
    ],
    [
      'an included name with two records',
      { 'mail.acme.test': ['v=spf1 include:a.test include:mailgun.org'], 'a.test': ['v=spf1 a', 'v=spf1 mx'] },
      /a\.test has 2/,
    ],
    ['an unknown mechanism', { 'mail.acme.test': ['v=spf1 includes:mailgun.org -all'] }, /unknown term/],
    ['an include of nothing', { 'mail.acme.test': ['v=spf1 include: include:mailgun.org -all'] }, /unreadable term/],
    [
      'two redirects',
      { 'mail.acme.test': ['v=spf1 redirect=mailgun.org redirect=mailgun.org'] },
      /more than one redirect/,
    ],
  ])('%s fails and says why', async (_, zone, why) => {
    expect(await evaluate(zone)).toMatchObject({ state: 'failed', detail: expect.stringMatching(why) })
  })

  const nothing = (...names: string[]): Zone =>
    Object.fromEntries(names.flatMap((name) => ['A', 'AAAA', 'MX'].map((type) => [`${type} ${name}`, []])))

  test.each<[string, string, Zone, 'verified' | 'failed']>([
    [
      'two lookups that find nothing',
      'a:x.test mx:y.test include:mailgun.org',
      nothing('x.test', 'y.test'),
      'verified',
    ],
    [
      'three before the include of the provider',
      'a:x.test mx:y.test exists:z.test include:mailgun.org',
      nothing('x.test', 'y.test', 'z.test'),
      'failed',
    ],
    [
      'three after the include of the provider, which no receiver evaluates',
      'include:mailgun.org a:x.test mx:y.test exists:z.test',
      nothing('x.test', 'y.test', 'z.test'),
      'verified',
    ],
    [
      'a name with an IPv6 address only',
      'a:x.test a:y.test a:z.test include:mailgun.org',
      { 'A x.test': [], ...nothing('y.test', 'z.test') },
      'verified',
    ],
    [
      'names that depend on the message',
      'exists:%{i}.x.test ptr a:y.test a:z.test include:mailgun.org',
      nothing('%{i}.x.test', 'y.test', 'z.test'),
      'verified',
    ],
  ])('%s: "%s"', async (_, terms, zone, state) => {
    const finding = await evaluate({ 'mail.acme.test': [`v=spf1 ${terms} -all`], ...zone })
    expect(finding.state).toBe(state)
    if (state === 'failed') expect(finding.detail).toMatch(/More than 2 lookups .* find nothing, z\.test the last/)
  })

  test('without an answer for an address the state is pending', async () => {
    expect(
      await evaluate({ 'mail.acme.test': ['v=spf1 a:x.test include:mailgun.org -all'], 'A x.test': 'no_answer' }),
    ).toMatchObject({ state: 'pending' })
  })

  test('without an answer of the DNS the state is pending', async () => {
    expect(await evaluate({ 'mail.acme.test': 'no_answer' })).toMatchObject({ state: 'pending' })
    expect(
      await evaluate({ 'mail.acme.test': ['v=spf1 include:mailgun.org -all'], 'mailgun.org': 'no_answer' }),
    ).toMatchObject({ state: 'pending' })
  })

  test('an endless chain of includes stops at the lookup limit', async () => {
    let questions = 0
    const finding = await evaluateSpf('n0.test', 'mailgun.org', async (name) => {
      questions += 1
      return { kind: 'records', values: [`v=spf1 include:n${Number(name.slice(1, -5)) + 1}.test -all`] }
    })
    expect(finding.state).toBe('failed')
    expect(questions).toBeLessThanOrEqual(11)
  })

  test("the provider's name is read from the provider's own record", () => {
    expect(includedName('v=spf1 include:mailgun.org ~all')).toBe('mailgun.org')
    expect(includedName('v=spf1 ip4:192.0.2.1 +include:EU.Mailgun.org. ~all')).toBe('eu.mailgun.org')
    expect(includedName('v=spf1 ip4:192.0.2.1 ~all')).toBeUndefined()
  })
})
