import { expect, test } from '@jest/globals'
import { slugFor } from './slug.ts'

const key = '0199a3c4-0bf3-7aa3-9736-9a3e4c0fe612'

test.each([
  ['Weekly news', '', 'weekly-news'],
  ['Weekly news', ' weekly-2 ', 'weekly-2'],
  ['Новости', '', 'audience-0199a3'],
])('the slug of “%s” with “%s” typed is %s', (name, typed, slug) => {
  expect(slugFor('audience', name, typed, key)).toBe(slug)
})
