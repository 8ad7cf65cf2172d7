import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from './contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const facts = async (workspaceId: string) =>
  (
    await s.stage.query<{ name: string; is_archived: boolean }>(
      'select * from contacts.workspaces where workspace_id = $1',
      [workspaceId],
    )
  )[0]

test('an archived workspace mails nobody from the moment it is heard of', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  await s.announceWorkspace(s.ours, { isArchived: true })
  await until(async () => (await s.reasons(contact, audience)).includes('workspace_archived'))
  await s.announceWorkspace(s.ours, { isArchived: false })
  await until(async () => (await s.reasons(contact, audience)).length === 0)
})

test('an older fact that arrives late changes nothing, and one event counts once', async () => {
  const workspaceId = newId()
  await s.announceWorkspace(workspaceId, { name: 'First' })
  await until(async () => (await facts(workspaceId))?.name === 'First')
  await s.stage.query("update contacts.workspaces set changed_at = now() + interval '1 hour' where workspace_id = $1", [
    workspaceId,
  ])
  await s.announceWorkspace(workspaceId, { name: 'Older' })
  const marker = newId()
  await s.announceWorkspace(marker)
  await until(async () => (await facts(marker)) !== undefined)
  expect((await facts(workspaceId))!.name).toBe('First')
})

test('an event whose header names no workspace is taken by what it says', async () => {
  const workspaceId = newId()
  await s.stage.publish('gateway', WorkspaceChangedSchema, {
    workspaceId,
    organization: 'o',
    workspace: 'w',
    name: 'N',
    isArchived: true,
  })
  await until(async () => (await facts(workspaceId))?.is_archived)
})
