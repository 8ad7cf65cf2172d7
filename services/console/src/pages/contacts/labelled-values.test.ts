import { expect, test } from '@jest/globals'
import { labelledValuesOf } from './labelled-values.ts'

const wordsOf = (object: Record<string, unknown>) =>
  labelledValuesOf(object).map(({ label, text, isMoment }) => `${label}: ${text}${isMoment ? ' (a moment)' : ''}`)

test('evidence is a list of labelled words: objects in it, lists, times, yes and no; nothing for absent values', () => {
  expect(
    wordsOf({
      note: 'by phone',
      captured_at: '2026-03-05T09:00:00Z',
      since: '2026-03-05',
      link_expired: false,
      ip: '192.0.2.1',
      receipt_id: 'r-1',
      form: { page_url: 'https://acme.test/a', fields: ['email', 'name'] },
      rows: [{ row: 3 }, { row: 4 }],
      company: null,
      nothing: '',
      none: {},
    }),
  ).toEqual([
    'Note: by phone',
    'Captured at: 2026-03-05T09:00:00Z (a moment)',
    'Since: 2026-03-05',
    'Link expired: no',
    'IP address: 192.0.2.1',
    'Receipt ID: r-1',
    'Form, page url: https://acme.test/a',
    'Form, fields: email, name',
    'Rows 1, row: 3',
    'Rows 2, row: 4',
  ])
})
