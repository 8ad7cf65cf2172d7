import { column, columns, kyselyOf, listOf, prepared, sql, statement, type Database } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { systemCaller } from '@lettergate/service'
import { DeadLetter } from './dead-letter.entity.ts'
import { metaOfRow, type DeadLetterRow } from './dead-letter-row.ts'
import { endAlertWithLast, errorText, raiseAlert } from './store-dead-letter.ts'

const job = 'replay-dead-letters'
/** A handler that takes longer than this loses the lock. Its event is then replayed again, and the inbox skips it. */
const lockedMsMax = 600_000

export interface Replay {
  /** undefined: no replay is waiting */
  deadLetter: DeadLetterRow | undefined
  error?: unknown
}

const deadLetterColumns = columns(DeadLetter)
const takeReplaying = statement('take-replaying-dead-letter', deadLetterColumns)
const deadLetterList = listOf(deadLetterColumns)
const keepOpen = statement('keep-idle-transaction-open', { set_config: column.text() })

/**
 * Replays the oldest dead letter of a consumer with a requested replay, and stores the result: it is replayed, or it is dead
 * again with the new error and a new alert. The row is locked during the replay, so no other replica takes it and nobody can
 * discard it. If this process dies before it stores the result, the replay runs again, and the inbox skips a handled event.
 */
export function replayNext(
  db: Database,
  consumer: string,
  handle: (deadLetter: DeadLetterRow) => Promise<void>,
): Promise<Replay> {
  return transaction(db, { caller: systemCaller(job, job), workspaceId: null, system: job }, async (em) => {
    const deadLetter = await takeReplaying.row(
      em,
      prepared(
        sql`select ${deadLetterList} from dead_letters where consumer = ${consumer} and state = 'replaying' order by id limit 1 for update skip locked`,
      ),
    )
    if (!deadLetter) return { deadLetter }
    // This transaction is idle while the handler uses its own transaction. Without this setting, the server ends it after a minute.
    await keepOpen.row(em, sql`select set_config('idle_in_transaction_session_timeout', ${String(lockedMsMax)}, true)`)
    const attempted = kyselyOf(em, DeadLetter)
      .updateTable('dead_letters')
      .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
      .where('id', '=', deadLetter.id)
    try {
      await handle(deadLetter)
    } catch (error) {
      await attempted.set({ replay_requested_at: null, error: errorText(error) }).execute()
      await raiseAlert(em, consumer, metaOfRow(deadLetter).id)
      return { deadLetter, error }
    }
    await attempted.set({ replayed_at: sql`now()` }).execute()
    await endAlertWithLast(em, consumer)
    return { deadLetter }
  })
}
