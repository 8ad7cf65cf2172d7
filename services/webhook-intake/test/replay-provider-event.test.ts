import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AuditRecordedSchema, ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { eventData, webhookStage, type WebhookStage } from './webhook-stage.ts'

let rig: WebhookStage
beforeAll(async () => {
  rig = await webhookStage()
})
afterAll(() => rig.close())

const owner = (workspaceId: string) => rig.stage.caller({ workspaceId })
const announcedOf = async (id: string) =>
  (await rig.announced(ProviderEventReceivedSchema)).filter(({ data }) => data.id === id)

async function arrived(more: Record<string, unknown> = {}) {
  const connection = await rig.connection()
  const { json } = await rig.deliver(connection.id, eventData(more))
  return { connection, id: json.id }
}

describe('a replay', () => {
  test('publishes the stored event again, marked as a replay, and returns it', async () => {
    const { connection, id } = await arrived({ event: 'failed', severity: 'permanent', reason: 'bounce' })
    const answer = await rig.intake.replayProviderEvent(owner(connection.workspaceId), { eventId: id })
    expect(answer.providerEvent).toMatchObject({ id, processingState: 'processed', eventType: 'failed' })

    const [first, again] = await announcedOf(id)
    expect(first!.data.replayedAt).toBeUndefined()
    expect(again!.data.replayedAt).toBeDefined()
    expect({ ...again!, data: { ...again!.data, replayedAt: undefined } }).toEqual({
      ...first!,
      data: { ...first!.data, replayedAt: undefined },
    })
    const audited = (await rig.announced(AuditRecordedSchema)).filter(({ data }) => data.subjectId === id)
    expect(audited.map(({ data }) => [data.action, data.actor])).toEqual([['provider_event_replayed', 'tester']])
  })

  test('can be repeated, and the webhook still detects duplicates of the event', async () => {
    const connection = await rig.connection()
    const data = eventData()
    const { json } = await rig.deliver(connection.id, data)
    for (let time = 0; time < 2; time += 1)
      await rig.intake.replayProviderEvent(owner(connection.workspaceId), { eventId: json.id })
    expect(await announcedOf(json.id)).toHaveLength(3)
    expect((await rig.deliver(connection.id, data)).json).toEqual({ status: 'duplicate', id: json.id })
    expect(await rig.stored(connection.id)).toHaveLength(1)
  })

  test('of an event of another workspace, a missing event and an invalid id have the same answer', async () => {
    const { id } = await arrived()
    const refusals = await Promise.all(
      [id, randomUUID(), 'no-id'].map((eventId) =>
        rig.intake.replayProviderEvent(owner(randomUUID()), { eventId }).then(
          () => 'replayed',
          (error: { code: string; message: string }) => [error.code, error.message],
        ),
      ),
    )
    expect(refusals).toEqual(Array(3).fill(['not_found', 'There is no such provider event.']))
    expect(await announcedOf(id)).toHaveLength(1)
  })
})

describe('the list of provider events', () => {
  test('is newest first, in pages, optionally of one kind', async () => {
    const connection = await rig.connection()
    const ids: string[] = []
    for (const event of ['accepted', 'delivered', 'opened', 'delivered', 'clicked'])
      ids.push((await rig.deliver(connection.id, eventData({ event }))).json.id)
    await arrived()
    const list = (more: object) => rig.intake.listProviderEvents(owner(connection.workspaceId), more)

    const seen: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
      expect(page.providerEvents.length).toBeLessThanOrEqual(2)
      seen.push(...page.providerEvents.map(({ id }) => id))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(seen).toEqual(ids.toReversed())
    const { providerEvents } = await list({ event: 'delivered' })
    expect(providerEvents.map(({ id, event }) => [id, event])).toEqual([
      [ids[3], 'delivered'],
      [ids[1], 'delivered'],
    ])
    expect(providerEvents[0]).toMatchObject({
      connectionId: connection.id,
      messageId: '01890a5d-ac96-774b-bcce-b302099a8057',
      providerMessageId: '20261121.1@mail.acme.test',
    })
  })

  test.each([
    ['limit', { limit: 201 }],
    ['cursor', { cursor: 'x' }],
    ['event', { event: 'bounced' }],
  ])('names %s when it is wrong', async (field, more) => {
    await expect(rig.intake.listProviderEvents(owner(randomUUID()), more)).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })
})
