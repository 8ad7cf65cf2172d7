import { expect, test } from '@jest/globals'
import { mergeFields } from './merge-fields.ts'

const person = {
  email: 'a@example.com',
  first_name: 'Ada',
  last_name: null,
  company: ' ',
  country_code: 'SE',
  custom_fields: {},
}

test('only requested fields are answered', () => {
  const requested = new Set(['first_name', 'score'])
  expect(mergeFields({ ...person, custom_fields: { score: 1, secret: 'x' } }, requested)).toEqual({
    first_name: 'Ada',
    score: '1',
  })
})

test('blank and missing values are left out, so that defaults are used', () => {
  expect(mergeFields(person)).toEqual({ email: 'a@example.com', first_name: 'Ada', country_code: 'SE' })
})

test('custom fields are answered as text by key and never replace a field of the contact', () => {
  const custom_fields = {
    score: 1.5,
    vip: false,
    likes: ['a', 'b'],
    none: [],
    email: 'spoof@example.com',
    last_name: 'spoof',
  }
  expect(mergeFields({ ...person, custom_fields })).toEqual({
    email: 'a@example.com',
    first_name: 'Ada',
    country_code: 'SE',
    score: '1.5',
    vip: 'false',
    likes: 'a, b',
  })
})

test('no custom field can choose the link of a confirmation email', () => {
  const custom_fields = { confirmation_url: 'https://evil.test' }
  expect(mergeFields({ ...person, custom_fields })).not.toHaveProperty('confirmation_url')
  expect(mergeFields({ ...person, custom_fields }, new Set(['confirmation_url']))).toEqual({})
})
