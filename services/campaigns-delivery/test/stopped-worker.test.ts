import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { workerProcesses } from './worker-process.ts'

let rig: DeliveryStage
const { start: worker, killAll } = workerProcesses(() => rig)
beforeAll(async () => {
  rig = await openDelivery()
  // An intent waits in this trigger as long as the row exists.
  await rig.stage.query('create table campaigns.intents_held (yes boolean)')
  await rig.stage.query('grant select on campaigns.intents_held to campaigns')
  await rig.stage.query(
    `create function campaigns.hold_intent() returns trigger language plpgsql as $$
       begin while exists (select from campaigns.intents_held) loop perform pg_sleep(0.02); end loop; return new; end $$;
     create trigger hold_intent before insert on campaigns.hand_offs for each row execute function campaigns.hold_intent()`,
  )
})
afterEach(killAll)
afterAll(() => rig.close())

const isTrue = async (query: string, values: unknown[] = []) => (await rig.stage.query(query, values)).length > 0

/** A run whose only worker was stopped inside the transaction of its intent, which locks the run. */
async function stoppedInIntent() {
  await rig.stage.query('insert into campaigns.intents_held values (true)')
  const stopped = await worker()
  const audience = await rig.audience()
  await Promise.all(Array.from({ length: 3 }, (_, n) => rig.subscriber(audience, `person${n}@example.org`)))
  const { id } = await rig.schedule((await rig.draft(audience)).campaignId)
  const session = await until(
    async () =>
      (
        await rig.stage.query<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
        )
      )[0]?.pid,
    { what: 'the intent' },
  )
  stopped.signal('SIGSTOP')
  await rig.stage.query('delete from campaigns.intents_held')
  // It is idle, or was ended by the server for that.
  await until(
    async () => !(await isTrue(`select 1 from pg_stat_activity where pid = $1 and state = 'active'`, [session])),
    {
      what: 'the stopped transaction',
    },
  )
  return { runId: id, stopped, audience }
}

test('a run can be paused while a stopped worker holds its lock, and the worker sends nothing before the run is resumed', async () => {
  const { runId, stopped, audience } = await stoppedInIntent()
  const control = (action: string) => rig.campaigns.controlCampaignRun(rig.us, { runId, action }, { timeoutMs: 60_000 })
  expect((await control('pause')).campaignRun).toMatchObject({ state: 'paused' })
  const intents = () =>
    rig.stage.query<{ state: string }>('select state from campaigns.hand_offs where origin_id = $1', [runId])
  expect(await intents()).toEqual([])
  stopped.signal('SIGCONT')
  // The worker works again when it has completed another run, to the same contacts. The first run sent nothing meanwhile.
  const other = await rig.schedule((await rig.draft(audience)).campaignId)
  await until(async () => (await rig.report(other.id)).run.state === 'completed', { what: 'the other run to complete' })
  expect(await rig.messages()).toHaveLength(3)
  expect(await intents()).not.toContainEqual({ state: 'accepted' })
  expect((await control('resume')).campaignRun).toMatchObject({ state: 'sending' })
  await until(async () => (await rig.report(runId)).run.state === 'completed', { what: 'the run to complete' })
  expect((await rig.report(runId)).report).toMatchObject({ sent: 3, unknown: 0, failed: 0 })
  expect((await intents()).filter(({ state }) => state !== 'put_back')).toEqual([{ state: 'accepted' }])
  expect((await rig.messages()).map(({ to }) => to).sort()).toEqual(
    [0, 0, 1, 1, 2, 2].map((n) => `person${n}@example.org`),
  )
})
