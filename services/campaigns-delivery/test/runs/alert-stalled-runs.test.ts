import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { createService } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../../src/ctx.ts'
import { alertStalledRuns } from '../../src/runs/alert-stalled-runs.ts'
import { insertHandOff } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
const alerting = oneByOne(createService('campaigns-delivery', { logLevel: 'silent' }), 'alert-stalled-runs')
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

const look = () => alertStalledRuns(rig.system as Ctx, alerting)
const elapse = (runId: string, minutes: number) =>
  rig.stage.query(
    `update campaigns.campaign_runs set idle_since = idle_since - $2 * interval '1 minute', stall_alerted_at = stall_alerted_at - $2 * interval '1 minute' where id = $1`,
    [runId, minutes],
  )
const alertsOf = async (runId: string) =>
  (
    await rig.stage.query<{ payload: Buffer }>(
      `select payload from campaigns.outbox where event = 'alert_raised' order by id`,
    )
  )
    .map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
    .filter(({ about }) => about === runId)

test('a run that hands nothing over raises one alert after 15 minutes, which ends by itself unless it is raised again', async () => {
  const { runId } = await rig.run(workspaceId, 3)
  await look()
  await elapse(runId, 14)
  await look()
  expect(await alertsOf(runId)).toEqual([])
  await elapse(runId, 2)
  await Promise.all([look(), look(), look()])
  const [alert, ...more] = await alertsOf(runId)
  expect(more).toEqual([])
  expect(alert).toMatchObject({
    code: 'run_not_progressing',
    lastsSeconds: 2_100,
    detail: { run_id: runId, open_batches: 3 },
  })
  await elapse(runId, 16)
  await look()
  expect(await alertsOf(runId)).toHaveLength(2)
})

test.each<[what: string, change: (run: { runId: string; connectionId: string }) => Promise<unknown>]>([
  [
    'hands something over',
    ({ runId, connectionId }) =>
      insertHandOff(rig.stage, {
        workspaceId,
        id: newId(),
        originId: runId,
        batch: 1,
        messageIds: [newId()],
        connectionId,
      }),
  ],
  [
    'is paused',
    ({ runId }) => rig.stage.query(`update campaigns.campaign_runs set state = 'paused' where id = $1`, [runId]),
  ],
  [
    'is held',
    ({ runId }) =>
      rig.stage.query(`update campaigns.campaign_runs set held_by = 'sender_identity' where id = $1`, [runId]),
  ],
  [
    'waits for a cooldown',
    ({ connectionId }) =>
      rig.stage.query(
        `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason, cooling_since) values ($1, $2, now() + interval '1 hour', 1, 'rate_limited', now())`,
        [workspaceId, connectionId],
      ),
  ],
])('a run that %s is not stalled, and counts anew when it stops again', async (_what, change) => {
  const run = await rig.run(workspaceId, 3)
  await look()
  await elapse(run.runId, 14)
  await change(run)
  await look()
  expect(await rig.stage.query('select idle_since from campaigns.campaign_runs where id = $1', [run.runId])).toEqual([
    { idle_since: null },
  ])
  await elapse(run.runId, 30)
  await look()
  expect(await alertsOf(run.runId)).toEqual([])
})
