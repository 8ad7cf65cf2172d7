import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId, sql, type Em } from '@lettergate/database'
import { countSent, countUnknown } from '../../src/runs/run-recipient.entity.ts'
import { insertHandOff } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
/** Messages of a run that have provider events, and those of its open hand-offs, which have none. */
const known = 5_000
const open = 300

let rows: RowsStage
beforeAll(async () => {
  rows = await openRows()
})
afterAll(() => rows.close())

/** A run that is being sent. Its open hand-offs have this state. */
async function sendingRun(state: 'claimed' | 'unknown'): Promise<string> {
  const { runId, connectionId } = await rows.run(workspaceId, 1)
  await rows.stage.query(
    `insert into campaigns.message_facts (workspace_id, origin_id, message_id, fact)
     select $1, $2, uuidv7(), 'accepted' from generate_series(1, $3::int)`,
    [workspaceId, runId, known],
  )
  const messageIds = Array.from({ length: open }, newId)
  await insertHandOff(rows.stage, { workspaceId, id: newId(), originId: runId, connectionId, messageIds, state })
  return runId
}

/** What the reader answers, and how many facts it read. */
const reading = <T>(reader: (em: Em) => Promise<T>) =>
  rows.in(workspaceId).tx(async (em) => {
    const readSoFar = async () => {
      const statistics = sql<{ read: number }>`
        select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
         where schemaname = 'campaigns' and relname = 'message_facts'`
      return (await statistics.execute(em.getKysely())).rows[0]!.read
    }
    const before = await readSoFar()
    const answer = await reader(em)
    return { answer, read: (await readSoFar()) - before }
  })

test('the counts of a run that is newer than the statistics look up its open messages one by one', async () => {
  for (const table of ['message_facts', 'hand_offs'])
    await rows.stage.query(`alter table campaigns.${table} set (autovacuum_enabled = false)`)
  await sendingRun('claimed')
  await rows.stage.query('analyze campaigns.message_facts, campaigns.hand_offs')

  const sending = await sendingRun('claimed')
  const sent = await reading((em) => countSent(em, workspaceId, sending))
  expect(sent.answer).toEqual({ sent: 0, failed: 0 })
  expect(sent.read).toBeLessThan(known)

  const unsettled = await sendingRun('unknown')
  const unknown = await reading((em) => countUnknown(em, workspaceId, unsettled))
  expect(unknown.answer).toBe(open)
  expect(unknown.read).toBeLessThan(known)
})
