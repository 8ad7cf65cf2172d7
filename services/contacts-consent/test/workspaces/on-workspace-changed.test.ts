import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { create, toBinary } from '@bufbuild/protobuf'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { openBus } from '@lettergate/events'
import { toHeaders } from '@lettergate/events/message'
import { createService } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

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

test('an archived workspace has no eligible contacts after its event is handled', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  await s.announceWorkspace(s.ours, { isArchived: true })
  await until(async () => (await s.reasons(contact, audience)).includes('workspace_archived'))
  await s.announceWorkspace(s.ours, { isArchived: false })
  await until(async () => (await s.reasons(contact, audience)).length === 0)
})

test('an older event that arrives late changes nothing, and a repeated event is handled once', async () => {
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

test('an event without a workspace in its header is handled by its content', async () => {
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

test('a workspace event from any service except the gateway is ignored, with any headers', async () => {
  const workspaceId = newId()
  const forged = {
    id: newId(),
    event: 'workspace_changed',
    workspace_id: workspaceId,
    payload: toBinary(
      WorkspaceChangedSchema,
      create(WorkspaceChangedSchema, { workspaceId, organization: 'o', workspace: 'w', name: 'Forged' }),
    ),
    headers: { type: WorkspaceChangedSchema.typeName, correlationId: 'c', actor: 'system:x', trace: {} },
    created_at: new Date().toISOString(),
  }
  const webhookIntake = createService('webhook-intake', { logLevel: 'silent' })
  const bus = await webhookIntake.use(openBus(webhookIntake, s.stage.bus('webhook-intake')))
  const headers = toHeaders('gateway', forged)
  await expect(
    bus.js.publish(bus.subject('events.gateway.workspace_changed'), forged.payload, { headers }),
  ).rejects.toThrow('Permissions Violation')
  await bus.js.publish(bus.subject('events.webhook-intake.workspace_changed'), forged.payload, { headers })
  await webhookIntake.stop()
  const marker = newId()
  await s.announceWorkspace(marker)
  await until(async () => (await facts(marker)) !== undefined)
  expect(await facts(workspaceId)).toBeUndefined()
})
