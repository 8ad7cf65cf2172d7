import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { column, newId, sql, statement } from '@lettergate/database'
import type { Ctx } from '../../src/ctx.ts'
import { waitForEnd } from '../../src/delivery/wait-for-end.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

const selectOwn = statement('select-own-transaction-id', { id: column.text() })

test.each(['committed', 'rolled back'])(
  'an uncertain intent is settled only after its transaction was %s',
  async (how) => {
    let isOver = false
    const [asked, looked] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
    const transaction = rig
      .in(workspaceId)
      .tx(async (em) => {
        const own = await selectOwn.row(em, sql`select pg_current_xact_id()::text as id`)
        asked.resolve(own!.id)
        await looked.promise
        isOver = true
        if (how === 'rolled back') throw new Error('on purpose')
      })
      .catch(() => undefined)
    const transactionId = await asked.promise
    const ctx = rig.in(workspaceId)
    const log = { warn: () => looked.resolve() } as unknown as Ctx['log']
    const waiting = waitForEnd({ log, tx: (work) => ctx.tx(work) }, transactionId).then(() => expect(isOver).toBe(true))
    await Promise.all([transaction, waiting])
  },
)
