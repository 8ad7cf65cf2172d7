import { DeadLetters } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { column, sql, statement, type Database } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { Fault } from '@lettergate/fault'
import type { Operations } from '@lettergate/rpc'
import { gauge, systemCaller, type CallScope, type Service } from '@lettergate/service'
import type { DeadLettersCtx } from './dead-letters-ctx.ts'
import { discardDeadLetter } from './discard-dead-letter.ts'
import { getDeadLetter } from './get-dead-letter.ts'
import { listDeadLetters } from './list-dead-letters.ts'
import { replayDeadLetter } from './replay-dead-letter.ts'

const operations = {
  listDeadLetters,
  getDeadLetter,
  replayDeadLetter,
  discardDeadLetter,
} satisfies Operations<typeof DeadLetters, DeadLettersCtx>

const countDead = statement('count-dead-letters', { count: column.integer() })

/** The rpcs that every service serves in addition to its own. Only administrators of the platform may call them. */
export function deadLetters(service: Service, db: Database) {
  gauge(service, {
    name: 'lettergate_dead_letters',
    help: 'Events that a consumer of this service could not handle and that nobody has replayed or discarded',
    read: async () =>
      (await transaction(
        db,
        { caller: systemCaller('metrics', 'metrics'), workspaceId: null, system: 'metrics' },
        (em) => countDead.row(em, sql`select count(*)::int as count from dead_letters where state = 'dead'`),
      ))!.count,
  })
  return { rpc: DeadLetters, operations, ctxOf }

  function ctxOf(this: void, { caller }: CallScope): DeadLettersCtx {
    if (caller.platformRole !== 'owner' && caller.platformRole !== 'administrator')
      throw new Fault(
        'permission_denied',
        'platform_role',
        'Only an owner or administrator of the platform may do this.',
      )
    return {
      caller,
      service: service.name,
      now: () => service.now(),
      tx: (work) => transaction(db, { caller, workspaceId: null, system: 'dead-letters' }, work),
    }
  }
}

export type ServedDeadLetters = ReturnType<typeof deadLetters>
