import { column, columns, kyselyOf, listOf, prepared, sql, statement, type Database } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { systemCaller } from '@lettergate/service'
import { DeadLetter } from './dead-letter.entity.ts'
import { metaOfRow, type DeadLetterRow } from './dead-letter-row.ts'
import { errorText, raiseAlert } from './keep-dead-letter.ts'

const job = 'replay-dead-letters'
/** A handler that takes longer than this loses the lock: its event is handed over again, and the inbox drops it. */
const lockedMsMax = 600_000

export interface Replay {
  /** undefined: nobody asked for a replay that is not done */
  letter: DeadLetterRow | undefined
  error?: unknown
}

const letterColumns = columns(DeadLetter)
const takeReplaying = statement('take-replaying-dead-letter', letterColumns)
const letterList = listOf(letterColumns)
const keepOpen = statement('keep-idle-transaction-open', { set_config: column.text() })

/**
 * Hands over the oldest dead letter of a consumer whose replay was asked for, and notes what came of it: it had its effect,
 * or it is dead again with the new error and a new alert. It is locked meanwhile, so no other replica takes it and nobody
 * discards it. When this process dies before the note, it is handed over again, and the inbox knows whether it was handled.
 */
export function replayNext(
  db: Database,
  consumer: string,
  handOver: (letter: DeadLetterRow) => Promise<void>,
): Promise<Replay> {
  return transaction(db, { caller: systemCaller(job, job), workspaceId: null, system: job }, async (em) => {
    const letter = await takeReplaying.row(
      em,
      prepared(
        sql`select ${letterList} from dead_letters where consumer = ${consumer} and state = 'replaying' order by id limit 1 for update skip locked`,
      ),
    )
    if (!letter) return { letter }
    // This transaction is idle while the handler works in its own; the server would end it after a minute.
    await keepOpen.row(em, sql`select set_config('idle_in_transaction_session_timeout', ${String(lockedMsMax)}, true)`)
    const attempted = kyselyOf(em, DeadLetter)
      .updateTable('dead_letters')
      .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
      .where('id', '=', letter.id)
    try {
      await handOver(letter)
    } catch (error) {
      await attempted.set({ replay_requested_at: null, error: errorText(error) }).execute()
      await raiseAlert(em, consumer, metaOfRow(letter).id)
      return { letter, error }
    }
    await attempted.set({ replayed_at: sql`now()` }).execute()
    return { letter }
  })
}
