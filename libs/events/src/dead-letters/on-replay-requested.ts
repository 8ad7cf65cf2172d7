import { columns, prepared, sql, statement, type Database } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { repeat, systemCaller, type Part, type Service } from '@lettergate/service'
import { DeadLetter } from './dead-letter.entity.ts'

const lookEveryMs = 5_000
const job = 'replay-dead-letters'
const selectConsumers = statement('select-replaying-consumers', columns(DeadLetter, 'consumer'))

interface Look extends Part {
  replays: Map<string, () => Promise<void>>
}

const looks = new WeakMap<Database, Look>()

/**
 * Runs `replay` within 5 s after somebody asked for the replay of a dead letter of this consumer; never twice at the same
 * time. All consumers of a process share one look into the database.
 */
export function onReplayRequested(service: Service, db: Database, consumer: string, replay: () => Promise<void>): Part {
  const look = looks.get(db) ?? openLook(service, db)
  looks.set(db, look)
  let running: Promise<void> | undefined
  look.replays.set(consumer, () => (running ??= replay().finally(() => (running = undefined))))
  return {
    async stop() {
      look.replays.delete(consumer)
      if (look.replays.size === 0) {
        looks.delete(db)
        await look.stop()
      }
      await running?.catch(() => undefined)
    },
  }
}

function openLook(service: Service, db: Database): Look {
  const replays: Look['replays'] = new Map()
  const looking = repeat(service, job, lookEveryMs, async () => {
    const asked = await transaction(db, { caller: systemCaller(job, job), workspaceId: null, system: job }, (em) =>
      selectConsumers.rows(em, prepared(sql`select distinct consumer from dead_letters where state = 'replaying'`)),
    )
    for (const { consumer } of asked) {
      void replays
        .get(consumer)?.()
        .catch((error: unknown) =>
          service.log.error({ err: error, consumer }, 'a replay failed and will be tried again'),
        )
    }
  })
  return { replays, stop: () => looking.stop() }
}
