import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { emptyDefinition } from '../automations-stage.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { enrollmentRows } from './enrollment-rows.ts'

let s: RuntimeStage
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
})
afterAll(() => s.close())

test('each enrollment has the address of its contact, and none if the contact was deleted', async () => {
  const made = await s.automations.createAutomation(s.us, { name: 'A', slug: 'people', definition: emptyDefinition })
  const { id: automationId, selectedVersion: version } = made.automation!
  const rows = enrollmentRows(s.stage, { workspaceId: s.us.caller.workspaceId!, automationId, versionId: version!.id })
  const contactIds = [await s.contact(), await s.contact(), await s.contact()]
  for (const contact_id of contactIds) await rows.position(await rows.enrollment({ contact_id }))
  await s.contacts.deleteContact(s.us, { contactId: contactIds[1]! })

  const first = await s.automations.listEnrolledContacts(s.us, { automationId, limit: 2 })
  expect(first.enrollments.map(({ contactId, email }) => [contactId, email])).toEqual([
    [contactIds[2], 'person3@example.test'],
    [contactIds[1], undefined],
  ])
  const rest = await s.automations.listEnrolledContacts(s.us, { automationId, limit: 2, cursor: first.nextCursor! })
  expect(rest.enrollments.map(({ contactId, email }) => [contactId, email])).toEqual([
    [contactIds[0], 'person1@example.test'],
  ])
  expect(rest.nextCursor).toBeUndefined()

  const unknown = s.automations.listEnrolledContacts(s.us, { automationId: newId() })
  await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
})
