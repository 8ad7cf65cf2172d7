import { expect, test } from '@jest/globals'
import { evidenceOf, subjectInWords } from './evidence.ts'

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
      found: '{"no_answer":"timeout"}',
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

test('abbreviations are written in capitals', () => {
  expect([subjectInWords('dkim'), subjectInWords('alignment')]).toEqual(['DKIM', 'Alignment'])
})
