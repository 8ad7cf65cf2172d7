import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { putBack } from '../../src/delivery/put-back.ts'
import { runOrigin } from '../../src/delivery/run-origin.ts'
import { confirmationOrigin } from '../../src/confirmations/confirmation-origin.ts'
import { automationOrigin } from '../../src/automation-emails/automation-origin.ts'
import { testSendOrigin } from '../../src/testing/test-send-origin.ts'
import { insertHandOff } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

test('recipients of a call that did not happen end with the reason of their run when it is over, unless an event proves the email', async () => {
  const { runId, connectionId } = await rig.run(workspaceId, 1)
  const [id, proven, unproven] = [newId(), newId(), newId()]
  await insertHandOff(rig.stage, {
    workspaceId,
    id,
    originId: runId,
    batch: 1,
    messageIds: [proven, unproven],
    connectionId,
  })
  await rig.stage.query(
    `insert into campaigns.message_facts (workspace_id, origin_id, message_id, fact) values ($1, $2, $3, 'delivered')`,
    [workspaceId, runId, proven],
  )
  await rig.stage.query(
    `update campaigns.campaign_runs set state = 'failed', failure_reason = 'sender_missing' where id = $1`,
    [runId],
  )
  const messages = [proven, unproven].map((messageId) => ({
    id: messageId,
    contactId: newId(),
    audienceId: newId(),
    minimumIntervalSeconds: 0,
  }))
  const handOff = { workspaceId, id, kind: 'run' as const, originId: runId, batch: 1, messages }
  const origins = {
    run: runOrigin,
    test_send: testSendOrigin,
    automation: automationOrigin,
    confirmation: confirmationOrigin,
  }
  for (let times = 0; times < 2; times += 1)
    await rig.in(workspaceId).tx((em) => putBack(em, origins, handOff, { reason: 'too_late', dueAt: null }))

  expect(await rig.stage.query('select state, reason from campaigns.hand_offs where id = $1', [id])).toEqual([
    { state: 'put_back', reason: 'too_late' },
  ])
  expect(
    await rig.stage.query(
      'select message_id, fact, reasons from campaigns.message_facts where origin_id = $1 order by message_id = $2',
      [runId, unproven],
    ),
  ).toEqual([
    { message_id: proven, fact: 'delivered', reasons: null },
    { message_id: unproven, fact: 'failed', reasons: ['sender_missing'] },
  ])
})
