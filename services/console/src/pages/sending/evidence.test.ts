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

test('abbreviations are written in capitals', () => {
  expect([subjectInWords('dkim'), subjectInWords('alignment')]).toEqual(['DKIM', 'Alignment'])
})
