import { expect, test } from '@jest/globals'
import { conditionInWords, namesOf, nodeInWords, triggerInWords } from './node-words.ts'

const names = { c1: 'Welcome', a1: 'Weekly' }

test('nodes, triggers and conditions are one line each', () => {
  expect(nodeInWords({ key: 'n', type: 'send_email', config: { content_version_id: 'c1' } }, names)).toBe(
    'Send “Welcome”',
  )
  expect(nodeInWords({ key: 'n', type: 'wait_duration', config: { seconds: 172_800 } }, names)).toBe('Wait 2 days')
  expect(nodeInWords({ key: 'n', type: 'remove_audience', config: { audience_id: 'gone' } }, names)).toBe(
    'Unsubscribe from gone',
  )
  expect(triggerInWords({ type: 'audience_subscribed', config: { audience_id: 'a1' } }, names)).toBe(
    'When somebody joins Weekly',
  )
  expect(triggerInWords({ type: 'manual', config: {} }, names)).toBe(
    'When somebody is added by hand (enrolls nobody yet)',
  )
  expect(triggerInWords({ type: 'api_event', config: { event_name: 'paid' } }, names)).toBe(
    'When a program reports paid (enrolls nobody yet)',
  )
  expect(
    conditionInWords({
      all: [{ tag: 'vip', operator: 'exists' }, { not: { field: 'country_code', operator: 'equals', value: 'GB' } }],
    }),
  ).toBe('tag vip exists and not (country_code equals GB)')
  expect(conditionInWords(undefined)).toBe('')
})

test('what is not chosen yet is a gap, and a field is set to nothing', () => {
  const words = (type: 'adjust_score' | 'wait_until_date' | 'update_contact_field', config: object) =>
    nodeInWords({ key: 'n', type, config: { ...config } }, names)
  expect(words('adjust_score', {})).toBe('Change the score by …')
  expect(words('wait_until_date', { at: '' })).toBe('Wait until …')
  expect(words('update_contact_field', { field: 'company', value: null })).toBe('Set company to nothing')
})

test('names come from what the version uses', () => {
  expect(
    namesOf([
      { type: 'audience', id: 'a1', name: 'Weekly' },
      { type: 'content_version', id: 'c1', subject: 'Welcome' },
      { type: 'contact_field', key: 'shoe_size' },
    ]),
  ).toEqual({ a1: 'Weekly', c1: 'Welcome' })
})
