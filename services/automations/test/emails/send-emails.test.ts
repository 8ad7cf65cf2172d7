import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openAutomationEmails, type AutomationStage } from '@lettergate/campaigns-delivery/test/automation-stage'
import { sendEmails } from '../../src/emails/send-emails.ts'

let rig: AutomationStage
beforeAll(async () => {
  rig = await openAutomationEmails()
})
afterAll(() => rig.close())

test('more emails than one request may carry are sent once each, those with the same content in shared calls', async () => {
  const people = 204
  await rig.members(rig.audienceId, people)
  const contacts = await rig.stage.query<{ contact_id: string }>(
    'select contact_id from contacts.memberships where audience_id = $1',
    [rig.audienceId],
  )
  const other = await rig.draft(rig.audienceId)
  const wanted = contacts.map(({ contact_id }, n) =>
    rig.email(contact_id, n % 2 === 0 ? {} : { contentVersionId: other.contentVersionId }),
  )
  const before = await rig.calls()
  const send = () => sendEmails(rig.emails, rig.us, wanted)
  const results = await send()
  expect(results.size).toBe(people)
  expect([...results.values()].filter(({ outcome }) => outcome !== 'accepted')).toEqual([])
  // 102 of each content: a call carries at most 100, and a request at most 200.
  expect((await rig.calls()) - before).toBe(4)
  expect(await send()).toEqual(results)
  expect((await rig.calls()) - before).toBe(4)
  const inbox = await rig.messages()
  expect(new Set(inbox.map(({ variables }) => variables['message_id'])).size).toBe(people)
})

test('nothing is asked for no emails', async () => {
  expect(await sendEmails(rig.emails, rig.us, [])).toEqual(new Map())
})
