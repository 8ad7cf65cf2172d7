import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { insertFacts } from './message-rows.ts'
import { openResend, type ResendStage } from './resend-stage.ts'

let rig: ResendStage
beforeAll(async () => {
  rig = await openResend()
})
beforeEach(() => rig.work())
afterEach(async () => {
  await rig.stopWorkers()
  await rig.sim('DELETE', '/messages')
})
afterAll(() => rig.close())

const tooSoon = (skipped: number) => ({ sent: 0, skipped, skipReasons: { minimum_interval_not_elapsed: skipped } })
const runTo = async (audienceId: string) => {
  const { id } = await rig.schedule((await rig.draft(audienceId)).campaignId, { inMs: 500 })
  await rig.becomes(id, 'completed')
  return (await rig.report(id)).report
}

test('the minimum interval does not count an unknown message for its resend, and counts it for every other run', async () => {
  const { run, audienceId } = await rig.unknownRun(2, { interval: 86_400 })
  expect(await runTo(audienceId)).toMatchObject(tooSoon(2))
  const made = await rig.resent(run.id, 2)
  await rig.becomes(made.id, 'completed')
  expect((await rig.report(made.id)).report).toMatchObject({ sent: 2, skipped: 0 })
  expect(await runTo(audienceId)).toMatchObject({ sent: 0 })
  expect(await rig.mailed()).toEqual(['p0', 'p1'])
})

test('the minimum interval counts the messages of other runs for a resend too', async () => {
  const { run, audienceId } = await rig.unknownRun(1, { interval: 86_400 })
  await rig.stage.query(`update campaigns.interval_claims set claimed_at = claimed_at - interval '2 days'`)
  expect(await runTo(audienceId)).toMatchObject({ sent: 1 })
  const made = await rig.resent(run.id, 1)
  await rig.becomes(made.id, 'completed')
  expect((await rig.report(made.id)).report).toMatchObject(tooSoon(1))
  expect(await rig.mailed()).toEqual(['p0'])
})

test('the minimum interval counts a message that is proven after the resend was confirmed', async () => {
  const { run } = await rig.unknownRun(2, { interval: 86_400 })
  await rig.stopWorkers()
  const made = await rig.resent(run.id, 2)
  const [known] = await rig.recipientsOf(run.id)
  await insertFacts(rig.stage, { workspaceId: rig.workspaceId, originId: run.id, messageId: known!.id }, [
    { fact: 'delivered' },
  ])
  await rig.work()
  await rig.becomes(made.id, 'completed')
  expect((await rig.report(made.id)).report).toMatchObject({ ...tooSoon(1), sent: 1 })
  expect(await rig.mailed()).toEqual(['p1'])
})

test('the minimum interval still counts the unknown message for other runs when a call of the resend did not happen', async () => {
  const { run, audienceId } = await rig.unknownRun(2, { interval: 86_400 })
  await rig.failing('rate_limit')
  const made = await rig.resent(run.id, 2)
  await until(
    async () =>
      (
        await rig.stage.query(`select 1 from campaigns.hand_offs where origin_id = $1 and state = 'put_back'`, [
          made.id,
        ])
      ).length > 0,
    { what: 'a call to be put back' },
  )
  await rig.cancel(made.id)
  await rig.failing('none')
  expect(await runTo(audienceId)).toMatchObject(tooSoon(2))
  const again = await rig.resent(run.id, 2)
  await rig.becomes(again.id, 'completed')
  expect(await rig.mailed()).toEqual(['p0', 'p1'])
})
