import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { runOrigin } from '../../src/delivery/run-origin.ts'
import { settle } from '../../src/delivery/settle.ts'
import { insertHandOff } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

let rows: RowsStage
beforeAll(async () => {
  rows = await openRows()
})
afterAll(() => rows.close())

test('the last two hand-offs of a run complete it, although their transactions do not see each other', async () => {
  const [workspaceId, first, second] = [newId(), newId(), newId()]
  const { runId, connectionId } = await rows.run(workspaceId, 1)
  for (const id of [first, second])
    await insertHandOff(rows.stage, { workspaceId, id, originId: runId, messageIds: [newId()], connectionId })
  await rows.stage.query(`update campaigns.delivery_batches set done_at = now() where run_id = $1`, [runId])

  const call = (id: string) => ({
    handOff: { workspaceId, id, kind: 'run' as const, originId: runId, batch: 0, messages: [] },
    route: { workspaceId, connectionId, domainName: 'mail.acme.test' },
    isTrial: false,
  })
  const origins = { run: runOrigin, test_send: runOrigin, automation: runOrigin, confirmation: runOrigin }
  const settled = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const accepted = { kind: 'accepted', providerMessageId: 'x' } as const
  const firstDone = rows.in(workspaceId).tx(async (em) => {
    await settle(em, origins, call(first), accepted)
    settled.resolve()
    await commit.promise
  })
  await settled.promise
  let isSecondDone = false
  const secondDone = rows
    .in(workspaceId)
    .tx((em) => settle(em, origins, call(second), accepted))
    .then(() => (isSecondDone = true))
  await until(async () => {
    const waiting = await rows.stage.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`,
    )
    return isSecondDone || waiting.length > 0
  })
  commit.resolve()
  await Promise.all([firstDone, secondDone])

  const [run] = await rows.stage.query<{ state: string }>(`select state from campaigns.campaign_runs where id = $1`, [
    runId,
  ])
  expect(run!.state).toBe('completed')
})
