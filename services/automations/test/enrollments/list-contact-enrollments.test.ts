import { timestampDate } from '@bufbuild/protobuf/wkt'
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

async function rowsOf(name: string) {
  const made = await s.automations.createAutomation(s.us, { name, slug: name, definition: emptyDefinition })
  const { id: automationId, selectedVersion: version } = made.automation!
  const workspaceId = s.us.caller.workspaceId!
  return enrollmentRows(s.stage, { workspaceId, automationId, versionId: version!.id })
}

test('the enrollments of a contact say where it is, since when, and why each other one ended; newest first, page by page', async () => {
  const [welcome, thanks] = [await rowsOf('welcome'), await rowsOf('thanks')]
  const contact_id = newId()
  const ended = { contact_id, ended_at: '2026-09-15T09:00:00Z' }
  await welcome.enrollment({ ...ended, end_state: 'completed' })
  const cancelled = await thanks.enrollment({ ...ended, end_state: 'cancelled' })
  await thanks.event(cancelled, 'paused', { reason: 'wait' })
  await thanks.event(cancelled, 'cancelled', { reason: 'asked by phone', at: '2026-09-15T09:00:00Z' })
  const waiting = await welcome.enrollment({ contact_id })
  const wait_until = '2026-09-16T09:00:00Z'
  await welcome.position(waiting, { contact_id, state: 'waiting', wait_until, arrived_at: '2026-09-14T10:00:00Z' })
  await welcome.enrollment()

  const list = async (cursor?: string) =>
    s.automations.listContactEnrollments(s.us, { contactId: contact_id, limit: 2, ...(cursor && { cursor }) })
  const first = await list()
  expect(first.enrollments).toMatchObject([
    { id: waiting, automationName: 'welcome', state: 'waiting', currentNodeKey: 'wait' },
    { id: cancelled, automationName: 'thanks', state: 'cancelled', endReason: 'asked by phone', endedBy: 'u-ada' },
  ])
  const [at, end] = first.enrollments
  expect(timestampDate(at!.atNodeSince!).toISOString()).toBe('2026-09-14T10:00:00.000Z')
  expect(timestampDate(at!.waitsUntil!).toISOString()).toBe('2026-09-16T09:00:00.000Z')
  expect(timestampDate(end!.endedAt!).toISOString()).toBe('2026-09-15T09:00:00.000Z')
  const rest = await list(first.nextCursor!)
  expect(rest.enrollments).toMatchObject([{ automationName: 'welcome', state: 'completed' }])
  expect([rest.enrollments[0]!.endReason, rest.nextCursor]).toEqual([undefined, undefined])

  for (const contactId of [newId(), 'no-id'])
    expect((await s.automations.listContactEnrollments(s.us, { contactId })).enrollments).toEqual([])
  const otherTenant = s.stage.caller({ workspaceId: newId() })
  expect((await s.automations.listContactEnrollments(otherTenant, { contactId: contact_id })).enrollments).toEqual([])
  for (const [reason, asked] of [
    ['limit', { limit: 201 }],
    ['cursor', { cursor: 'x' }],
  ] as const)
    await expect(s.automations.listContactEnrollments(s.us, { contactId: contact_id, ...asked })).rejects.toMatchObject(
      { code: 'invalid_argument', reason },
    )
})
