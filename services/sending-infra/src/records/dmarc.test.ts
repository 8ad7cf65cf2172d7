import { describe, expect, test } from '@jest/globals'
import type { DnsAnswer } from './dns-answer.ts'
import { evaluateDmarc } from './dmarc.ts'

const evaluate = (zone: Record<string, readonly string[] | 'no_answer'>, queries: string[] = []) =>
  evaluateDmarc('mail.acme.test', async (name, type): Promise<DnsAnswer> => {
    queries.push(`${type} ${name}`)
    const values = zone[name]
    if (values === undefined) return { kind: 'none' }
    return values === 'no_answer' ? { kind: 'no_answer', why: 'timeout' } : { kind: 'records', values }
  })

describe('DMARC', () => {
  test.each([
    ['its own record', { '_dmarc.mail.acme.test': ['v=DMARC1; p=none'] }, 'mail.acme.test', false],
    ['the record of the organisation', { '_dmarc.acme.test': ['v=DMARC1; p=reject; adkim=s'] }, 'acme.test', true],
    [
      'its own record before the one above',
      { '_dmarc.mail.acme.test': ['v=DMARC1; p=quarantine'], '_dmarc.acme.test': ['v=DMARC1; p=reject'] },
      'mail.acme.test',
      false,
    ],
    [
      'a record beside other TXT records',
      { '_dmarc.mail.acme.test': ['hello', 'v=DMARC1; p=none; rua=mailto:d@acme.test'] },
      'mail.acme.test',
      false,
    ],
  ])('%s applies', async (_, zone, recordDomain, isStrictDkim) => {
    expect(await evaluate(zone)).toMatchObject({ state: 'verified', recordDomain, isStrictDkim })
  })

  test.each([
    ['no record', {}],
    ['two records', { '_dmarc.mail.acme.test': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] }],
    ['a record without a policy', { '_dmarc.mail.acme.test': ['v=DMARC1; rua=nowhere'] }],
    ['an unknown policy', { '_dmarc.mail.acme.test': ['v=DMARC1; p=perhaps'] }],
    ['something that only looks alike', { '_dmarc.mail.acme.test': ['v=DMARC2; p=none'] }],
  ])('%s fails', async (_, zone) => {
    expect(await evaluate(zone)).toMatchObject({ state: 'failed' })
  })

  test('the subdomain policy of a parent domain applies', async () => {
    const zone = { '_dmarc.acme.test': ['v=DMARC1; p=reject; sp=none'] }
    expect((await evaluate(zone)).detail).toBe('The DMARC policy of acme.test applies: p=none.')
  })

  test('without an answer of the DNS the state is pending', async () => {
    expect(await evaluate({ '_dmarc.mail.acme.test': 'no_answer' })).toMatchObject({ state: 'pending', record: null })
  })

  test('the tree walk queries each name once', async () => {
    const queries: string[] = []
    await evaluate({}, queries)
    expect(queries).toEqual(['TXT _dmarc.mail.acme.test', 'TXT _dmarc.acme.test', 'TXT _dmarc.test'])
  })
})
