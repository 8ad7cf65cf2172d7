import { columns, lastRead, sql, statement, type Database } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { repeat, systemCaller, type Part, type Service } from '@lettergate/service'
import { DeadLetter } from './dead-letter.entity.ts'

const pollMs = 5_000
const job = 'replay-dead-letters'
const selectConsumers = statement('select-replaying-consumers', columns(DeadLetter, 'consumer'))

interface ReplayPoll extends Part {
  replays: Map<string, () => Promise<void>>
}

const polls = new WeakMap<Database, ReplayPoll>()

/**
 * Runs `replay` within 5 s after a replay of a dead letter of this consumer was requested, and never twice at the same time.
 * All consumers of a process share one poll of the database.
 */
export function onReplayRequested(service: Service, db: Database, consumer: string, replay: () => Promise<void>): Part {
  const poll = polls.get(db) ?? openReplayPoll(service, db)
  polls.set(db, poll)
  let running: Promise<void> | undefined
  poll.replays.set(consumer, () => (running ??= replay().finally(() => (running = undefined))))
  return {
    async stop() {
      poll.replays.delete(consumer)
      if (poll.replays.size === 0) {
        polls.delete(db)
        await poll.stop()
      }
      await running?.catch(() => undefined)
    },
  }
}

function openReplayPoll(service: Service, db: Database): ReplayPoll {
  const replays: ReplayPoll['replays'] = new Map()
  const polling = repeat(service, job, pollMs, async () => {
    const requested = await transaction(db, { caller: systemCaller(job, job), workspaceId: null, system: job }, (em) =>
      selectConsumers.rows(em, lastRead(sql`select distinct consumer from dead_letters where state = 'replaying'`)),
    )
    for (const { consumer } of requested) {
      void replays
        .get(consumer)?.()
        .catch((error: unknown) => service.log.error({ err: error, consumer }, 'a replay failed; it will be retried'))
    }
  })
  return { replays, stop: () => polling.stop() }
}
