import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { patiently } from '@lettergate/stage/patiently'
import { openTesting, type TestingStage } from './testing-stage.ts'

let rig: TestingStage
let campaigns: Awaited<ReturnType<TestingStage['api']>>
beforeAll(async () => {
  rig = await openTesting()
  campaigns = await rig.api({ TEST_SEND_HOURLY_CAP: '20', TEST_SEND_DAILY_CAP: '30' })
})
afterAll(() => rig.close())

const caps = async () => (await campaigns.listTestSends(rig.us, { limit: 1 })).caps!
const older = (interval: string) =>
  rig.stage.query(`update campaigns.test_sends set created_at = created_at - interval '${interval}'`)

/** Every send called the provider once. A call without an answer, on a busy machine, may not have reached it: it is unknown. */
async function callsAre(sends: number) {
  const states = await rig.stage.query<{ state: string }>(`select state from campaigns.hand_offs`)
  expect(states).toHaveLength(sends)
  const unknown = states.filter(({ state }) => state === 'unknown').length
  expect(states.filter(({ state }) => state === 'accepted')).toHaveLength(sends - unknown)
  const calls = await rig.calls()
  expect(calls).toBeLessThanOrEqual(sends)
  expect(calls).toBeGreaterThanOrEqual(sends - unknown)
}

test('of 50 concurrent test sends exactly as many as the cap are sent; refusals do not count, rehearsals do, and windows slide', async () => {
  await expect(rig.send({ recipientEmail: 'x@elsewhere.test' }, campaigns)).rejects.toMatchObject({
    reason: 'recipient_not_allowed',
  })
  expect(await caps()).toMatchObject({ hourlyCap: 20, hourlyLeft: 20, dailyCap: 30, dailyLeft: 30 })
  const asked = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => {
      const input = { recipientEmail: `r-${n}@example.org`, idempotencyKey: randomUUID() }
      return patiently<unknown>(() => (n % 2 ? rig.rehearse(input, campaigns) : rig.send(input, campaigns)))
    }),
  )
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { reason: string }).reason] : []))
  expect(refused).toEqual(Array.from({ length: 30 }, () => 'hourly_cap_reached'))
  await callsAre(20)
  expect(await caps()).toMatchObject({ hourlyLeft: 0, dailyLeft: 10 })

  await older('61 minutes')
  const more = await Promise.allSettled(
    Array.from({ length: 15 }, (_, n) => {
      const input = { recipientEmail: `m-${n}@example.org`, idempotencyKey: randomUUID() }
      return patiently(() => rig.send(input, campaigns))
    }),
  )
  expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  await expect(rig.send({}, campaigns)).rejects.toMatchObject({ reason: 'daily_cap_reached' })
  await callsAre(30)

  await older('23 hours')
  expect(await caps()).toMatchObject({ hourlyLeft: 20, dailyLeft: 20 })
})
