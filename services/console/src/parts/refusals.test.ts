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

test('a missing capability says who has it, with the page that lists what each role can do', () => {
  const message = 'This needs the capability delete_contacts, which your role in this workspace does not have.'
  expect(refusalInWords('delete_contacts', message)).toEqual({
    lines: ['Owners and brand admins can delete and erase contacts, and see how far an erasure is. Ask one of them.'],
    page: '/team',
  })
})

test('what nobody can do in an archived workspace is not asked of anybody', () => {
  const message = 'This needs the capability schedule_campaign, which an archived workspace takes from every role.'
  expect(refusalInWords('schedule_campaign', message)).toEqual({
    lines: ['This workspace is archived: nobody can schedule campaigns in it.'],
  })
})

test('another number of unknown recipients is told as the page asks for it', () => {
  const message =
    'The number of recipients whose message is unknown and was not sent again is 5 now, and count is 99. Look at the run, and send the request with count 5 if that is meant. Nothing was sent.'
  expect(refusalInWords('count', message)).toEqual({
    title: 'Another number is unknown now',
    lines: ['The number of unknown recipients is now 5. Type 5 if you mean all of them. Nothing was sent.'],
  })
})

test('a refused approval of an import says what can send as its page does, each with its page', () => {
  const message =
    'Imports are approved and applied only while nothing can send, but test sends are enabled (test_sends_enabled) and the environment sets ALLOW_PRODUCTION_SENDING_ACTIVATION (production_ceiling). Close them first, then try again.'
  expect(refusalInWords('gate_open', message)).toEqual({
    title: 'It cannot be approved now, because something can send',
    lines: [
      'The platform gate for test sends is open.',
      'The environment allows production sending, by ALLOW_PRODUCTION_SENDING_ACTIVATION. Only a change of the deployment ends it.',
    ],
    pages: ['/platform/gates', undefined],
  })
})

test('a refused deletion of a contact names no id', () => {
  const message =
    'This contact has a suppression of platform scope, 01a22333-0000-7000-8000-000000000000. A contact that was ever suppressed cannot be deleted, even after the suppression was resolved.'
  expect(refusalInWords('contact_suppressed', message).lines.join()).toMatch(/^It is suppressed or was/)
})

test('a request without an answer names no address of the service', () => {
  const message = 'https://mail.example.org does not answer (Failed to fetch). Is the address right?'
  expect(refusalInWords('unreachable', message).lines.join()).toMatch(/^The service was not reached/)
})
