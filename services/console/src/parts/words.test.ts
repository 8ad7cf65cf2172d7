import { expect, test } from '@jest/globals'
import { counted, inWords, percent, slugOf, sourceInWords } from './words.ts'

test.each([
  ['hard_bounce', 'Hard bounce'],
  ['campaign_run.started', 'Campaign run started'],
  ['view', 'View'],
  ['api', 'API'],
])('%s reads “%s”', (name, words) => {
  expect(inWords(name)).toBe(words)
})

test('a source of sign-ups reads as its slug, and another source as words', () => {
  expect(sourceInWords('subscription-source:website_footer')).toBe('Source website_footer')
  expect(sourceInWords('form')).toBe('Form')
})

test('counts have a unit, and shares of nothing are a dash', () => {
  expect(counted(1, 'contact')).toBe('1 contact')
  expect(counted(2000, 'contact')).toBe('2,000 contacts')
  expect(counted(0, 'person', 'people')).toBe('0 people')
  expect(percent(1, 8)).toBe('12.5 %')
  expect(percent(0, 0)).toBe('–')
})

test('a slug has only small characters, digits and hyphens', () => {
  expect(slugOf('Weekly news')).toBe('weekly-news')
  expect(slugOf(' Ünïcode – & more! ')).toBe('unicode-more')
})
