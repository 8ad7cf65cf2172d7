import { expect, test } from '@jest/globals'
import { harmlessFields } from './harmless-fields.ts'

test.each(['Ada', 'Jean-Luc', "O'Brien", 'José María', 'J. R.', 'Łukasz', '山田太郎', 'DK'])('%s is shown', (value) => {
  expect(harmlessFields({ first_name: value })).toEqual({ first_name: value })
})

test.each([
  'https://evil.example',
  'evil.example',
  'Ada, see www.evil.example now',
  'win at evil。example',
  'evil@example.com',
  'call 0900 123456',
  '<b>Ada</b>',
  'Ada\nSee this',
  'your account is blocked and we need you to act',
])('%j is left out', (value) => {
  expect(harmlessFields({ first_name: value, last_name: 'Lovelace' })).toEqual({ last_name: 'Lovelace' })
})
