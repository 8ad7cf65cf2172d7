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

test('content says whether its template is archived', async () => {
  const templateId = await s.template()
  const made = { templateId, subject: 'Hello', html: '<p>Hi</p>' }
  const id = (await s.campaigns.createContentVersion(s.us, made)).contentVersion!.id
  const isArchived = async () => (await describeEmails([id], [])).contents.map((one) => one.templateIsArchived)
  expect(await isArchived()).toEqual([false])
  await s.campaigns.archiveEmailTemplate(s.us, { templateId, archived: true })
  expect(await isArchived()).toEqual([true])
})

test('content says whether it links to a confirmation, which an automation does not have', async () => {
  const html = '<p>Hi <a href="{{ confirmation_url }}">confirm</a></p>'
  const [confirming, usual] = [await s.content(s.us, html), await s.content()]
  const { contents } = await describeEmails([confirming, usual], [])
  expect(contents.map(({ id, isForConfirmations }) => [id, isForConfirmations])).toEqual([
    [confirming, true],
    [usual, false],
  ])
})

test('the content versions and senders of another tenant are absent', async () => {
  const [content, sender] = [await s.content(), await s.sender()]
  expect(await describeEmails([content], [sender], s.them)).toMatchObject({ contents: [], senders: [] })
})
