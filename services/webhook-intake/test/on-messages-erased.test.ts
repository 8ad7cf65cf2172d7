import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  AlertRaisedSchema,
  MessagesErasedSchema,
  PersonalDataErasedSchema,
  ProviderEventReceivedSchema,
} from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { eventData, webhookStage, type WebhookStage } from './webhook-stage.ts'

let world: WebhookStage
beforeAll(async () => {
  world = await webhookStage()
})
afterAll(() => world.close())

const zero = Buffer.alloc(32)
const about = (messageId: string, more = {}) => eventData({ 'user-variables': { message_id: messageId }, ...more })
const erase = async (workspaceId: string, messageIds: string[], part = 1, parts = 1) => {
  const erasureId = randomUUID()
  await world.stage.publish(
    'campaigns-delivery',
    MessagesErasedSchema,
    { erasureId, messageIds, part, parts },
    { workspaceId },
  )
  return until(async () => {
    const reports = await world.announced(PersonalDataErasedSchema)
    return reports.find(({ data }) => data.erasureId === erasureId)?.data
  })
}

test('only the events of an erased contact lose the hash of their content', async () => {
  const { id, workspaceId } = await world.connection()
  const [erased, other] = [randomUUID(), randomUUID()]
  await world.deliver(id, about(erased))
  await world.deliver(id, about(erased, { event: 'opened' }))
  await world.deliver(id, about(other))
  expect(await erase(workspaceId, [erased], 2, 3)).toMatchObject({
    service: 'webhook-intake',
    part: 2,
    parts: 3,
    removed: { provider_events: 2 },
  })
  const stored = await world.stored(id)
  expect(stored.map((event) => [event['message_id'], zero.equals(event['body_sha256'] as Buffer)])).toEqual([
    [erased, true],
    [erased, true],
    [other, false],
  ])
})

test('an erasure of one workspace changes no event of another', async () => {
  const mine = await world.connection()
  const messageId = randomUUID()
  await world.deliver(mine.id, about(messageId))
  expect(await erase(randomUUID(), [messageId])).toMatchObject({ removed: { provider_events: 0 } })
  const [event] = await world.stored(mine.id)
  expect(zero.equals(event!['body_sha256'] as Buffer)).toBe(false)
})

test('an event that arrives after the erasure is stored without the hash of its content, and published', async () => {
  const { id, workspaceId } = await world.connection()
  const messageId = randomUUID()
  await erase(workspaceId, [messageId])
  const { json } = await world.deliver(id, about(messageId, { event: 'complained' }))
  const [event] = await world.stored(id)
  expect(event).toMatchObject({ id: json.id, message_id: messageId, event: 'complained', body_sha256: zero })
  const announced = await world.announced(ProviderEventReceivedSchema)
  expect(announced.find(({ data }) => data.id === json.id)!.data.messageId).toBe(messageId)
})

test('a repeat of an erased event is a duplicate and raises no alert', async () => {
  const { id, workspaceId } = await world.connection()
  const messageId = randomUUID()
  const event = about(messageId)
  const first = await world.deliver(id, event)
  await erase(workspaceId, [messageId])
  const again = await world.deliver(id, { ...event, 'delivery-status': { attempt: 2 } })
  expect(again.json).toEqual({ status: 'duplicate', id: first.json.id })
  expect(
    (await world.announced(AlertRaisedSchema)).filter(({ data }) => JSON.stringify(data.detail).includes(id)),
  ).toEqual([])
})

test('the address of a recipient in a reason or message id is not stored', async () => {
  const { id } = await world.connection()
  const recipient = 'Ada.Lovelace@example.test'
  await world.deliver(
    id,
    eventData({
      event: 'failed',
      severity: 'permanent',
      recipient,
      reason: `550 <${recipient}>: no such user; try ada@other.test`,
      message: { headers: { 'message-id': `20261121.${recipient.toLowerCase()}` } },
    }),
  )
  await world.deliver(id, eventData({ event: 'failed', severity: 'permanent', recipient, reason: 'suppress-bounce' }))
  const [quoting, plain] = await world.stored(id)
  expect(quoting).toMatchObject({ reason: '550 <[address]>: no such user; try [address]', provider_message_id: null })
  expect(plain).toMatchObject({ reason: 'suppress-bounce', provider_message_id: '20261121.1@mail.acme.test' })
})
