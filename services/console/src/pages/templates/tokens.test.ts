import { expect, test } from '@jest/globals'
import { tokensOf } from './tokens.ts'

test('finds each token once that can have a default', () => {
  expect(tokensOf('Hello {{ first_name }}', '<a href="{{unsubscribe_url}}">{{first_name}} {{ city }}</a>')).toEqual([
    'first_name',
    'city',
  ])
  expect(tokensOf('{{ First Name }}', '')).toEqual([])
})
