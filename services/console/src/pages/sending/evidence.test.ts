import { expect, test } from '@jest/globals'
import { evidenceOf, isValue, subjectInWords } from './evidence.ts'

test('the evidence of a check is one line for each subject', () => {
  const evidence = {
    spf: { verdict: 'verified', expected: 'v=spf1 include:mail', answer: ['v=spf1 include:mail ~all'], detail: '' },
    dkim: { verdict: 'failed', answer: { no_answer: 'timeout' }, detail: 'Publish the record.' },
    checked_by: 'job',
  }
  expect(evidenceOf(evidence)).toEqual([
    {
      subject: 'spf',
      verdict: 'verified',
      expected: 'v=spf1 include:mail',
      found: 'v=spf1 include:mail ~all',
      detail: '',
    },
    {
      subject: 'dkim',
      verdict: 'failed',
      expected: '',
      found: 'no answer: timeout',
      detail: 'Publish the record.',
    },
  ])
})

test('lists by name read as words, also an empty one', () => {
  const answer = { registered: ['opened', 'permanent_fail'], missing: [] }
  expect(evidenceOf({ webhooks: { verdict: 'verified', answer } })[0]!.found).toBe(
    'registered: opened, permanent fail; missing: none',
  )
})

test('single values by name read as words, and an answer with parts of its own stays JSON', () => {
  const found = (answer: unknown) => evidenceOf({ verification: { verdict: 'verified', answer } })[0]!.found
  expect(found({ state: 'active' })).toBe('state: active')
  expect(found({ state: null })).toBe('state: none')
  expect(found({ state: { name: 'active' } })).toBe('{"state":{"name":"active"}}')
})

test('abbreviations are written in capitals', () => {
  expect([subjectInWords('dkim'), subjectInWords('alignment')]).toEqual(['DKIM', 'Alignment'])
})

test('values are told from words about them', () => {
  const values = ['k=rsa; p=MIGf', 'mail.acme.test', 'https://a.test/hook']
  expect(values.filter((text) => !isValue(text))).toEqual([])
  const words = [
    '',
    'at least one MX record',
    'exactly one v=spf1 record that includes a.test',
    'nothing',
    'active',
    'the same organisation',
  ]
  expect(words.filter(isValue)).toEqual([])
})
