import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { nobody, openContent } from './content-stage.ts'

let s: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => {
  s = await openContent()
})
afterAll(() => s.close())

const describeEmails = (contentVersionIds: string[], senderIdentityIds: string[], caller = s.us) =>
  s.campaigns.describeAutomationEmails(caller, { contentVersionIds, senderIdentityIds })

test('content versions and senders say whether they can be sent, and what is missing is absent', async () => {
  const [whole, bare, sender] = [await s.content(), await s.content(s.us, '<p>Hi</p>'), await s.sender()]
  const { contents, senders } = await describeEmails([whole, bare, nobody, 'no id'], [sender, nobody, 'no id'])
  expect(
    contents.map(({ id, subject, isEmpty, hasUnsubscribeLink }) => [id, subject, isEmpty, hasUnsubscribeLink]),
  ).toEqual([
    [whole, 'Hello', false, true],
    [bare, 'Hello', false, false],
  ])
  expect(senders).toMatchObject([{ id: sender, displayName: 'A', isEnabled: false }])
})

test('the content versions and senders of another tenant are absent', async () => {
  const [content, sender] = [await s.content(), await s.sender()]
  expect(await describeEmails([content], [sender], s.them)).toMatchObject({ contents: [], senders: [] })
})
