import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ConsentWithdrawnSchema, SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openEvents, type EventsStage } from '../events-stage.ts'

let rig: EventsStage
beforeAll(async () => {
  rig = await openEvents()
})
afterAll(() => rig.stage.close())

/** A suppression of the contact of message `id` from `handedOver`; contact and audience have the same id as the message. */
const suppressed = (id: string, more: { scope?: string; reason?: string; at?: Date; workspaceId?: string } = {}) => {
  const { scope = 'audience', reason = 'unsubscribe', at = new Date(), workspaceId = rig.workspaceId } = more
  return rig.stage.publish(
    'contacts-consent',
    SuppressionAddedSchema,
    {
      suppressionId: newId(),
      contactId: id,
      scope,
      reason,
      ...(scope === 'audience' ? { audienceId: id } : {}),
      at: timestampFromDate(at),
    },
    { workspaceId },
  )
}
const withdrawn = (id: string) =>
  rig.stage.publish(
    'contacts-consent',
    ConsentWithdrawnSchema,
    { contactId: id, audienceId: id, scope: 'audience' },
    { workspaceId: rig.workspaceId },
  )

test('an unsubscribe recorded as a suppression is attributed to the run, other suppressions are not', async () => {
  const { runId, messageIds } = await rig.handedOver(8)
  const [both, recorded, everywhere, manual, bounced, early, foreign, last] = messageIds as [string, ...string[]]
  await withdrawn(both)
  await suppressed(both)
  await suppressed(recorded!)
  await suppressed(everywhere!, { scope: 'workspace' })
  await suppressed(manual!, { scope: 'workspace', reason: 'manual' })
  await suppressed(bounced!, { scope: 'workspace', reason: 'hard_bounce' })
  await suppressed(early!, { at: new Date(Date.now() - 2 * 3_600_000) })
  await suppressed(foreign!, { workspaceId: newId() })
  await suppressed(last!)
  const attributed = async () => (await rig.report(runId)).unsubscribesAttributed ?? 0
  await until(async () => (await attributed()) >= 4)
  expect(await attributed()).toBe(4)
})
