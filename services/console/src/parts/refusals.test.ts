import { expect, test } from '@jest/globals'
import { refusalInWords } from './refusals.ts'

test('a closed gate is named in words, with the page that opens it', () => {
  expect(refusalInWords('production_switch', 'The platform gate production_sending_enabled is closed.')).toEqual({
    lines: ['The platform gate for production sending is closed. A platform owner or administrator can open it.'],
    page: '/platform/gates',
  })
})

test('a refusal whose words are right keeps them and gets the page', () => {
  expect(refusalInWords('sender_disabled', 'The sender identity is not enabled. Activate the sender first.')).toEqual({
    lines: ['The sender identity is not enabled. Activate the sender first.'],
    page: '/sending',
  })
})

test('each problem of a field begins with the field in words', () => {
  expect(refusalInWords('invalid_from_name', 'from_name must not be empty.\nemail must be an email address.')).toEqual({
    lines: ['From name must not be empty.', 'Email must be an email address.'],
  })
})

test('what a user wrote stays as it is', () => {
  const message = 'Tag_filter names the tag big_spenders, which is not there.'
  expect(refusalInWords('tag_filter', message).lines).toEqual([message])
})
