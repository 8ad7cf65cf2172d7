import { prepared, row, sql } from '@lettergate/database'
import { repeat, type Part, type Service } from '@lettergate/service'
import type { Ctx } from './ctx.ts'

interface WatchedJob {
  everyMs: number
  /** A query that finds a row whenever the job may have something to do. It has no parameters. */
  waiting: string
  run: () => Promise<void>
}

/**
 * The jobs of a worker that look for work in the database. One statement a second asks for all of them what waits, so that a
 * worker with nothing to do uses hardly any processor time.
 */
export interface WaitingWork extends Part {
  /**
   * Runs a job every `everyMs` for as long as something waits for it, and every minute in any case. `wake` runs it at once.
   * It never overlaps itself.
   */
  job(name: string, options: WatchedJob): Part & { wake(): void }
  /** Looks now. */
  look(): void
}

const lookEveryMs = 1_000
const inAnyCaseMs = 60_000

/** Asks each of the queries whether it finds a row, in one statement: `job_0`, `job_1`, … */
export type Find = (statement: string) => Promise<Record<string, boolean>>

export const findIn =
  (system: Pick<Ctx, 'tx'>): Find =>
  (statement) =>
    system.tx(async (em) => (await row<Record<string, boolean>>(em, prepared(sql.raw(statement))))!)

export function watchForWork(service: Service, find: Find): WaitingWork {
  const jobs: { waiting: string; found(isWaiting: boolean): void }[] = []

  async function lookOnce() {
    if (jobs.length === 0) return
    const asked = [...jobs]
    const columns = asked.map(({ waiting }, index) => `exists (${waiting}) as job_${index}`)
    const found = await find(`select ${columns.join(', ')}`)
    for (const [index, job] of asked.entries()) job.found(found[`job_${index}`]!)
  }

  const looking = repeat(service, 'look-for-work', lookEveryMs, lookOnce)
  return {
    job(name, { everyMs, waiting, run }) {
      let isWaiting = false
      let next: NodeJS.Timeout | undefined
      const running = repeat(service, name, inAnyCaseMs, async () => {
        clearTimeout(next)
        next = undefined
        try {
          await run()
        } finally {
          if (isWaiting) next = setTimeout(() => running.wake(), everyMs)
        }
      })
      const watched = {
        waiting,
        found(now: boolean) {
          if (now && !isWaiting) running.wake()
          isWaiting = now
        },
      }
      jobs.push(watched)
      return {
        wake: () => running.wake(),
        async stop() {
          watched.found(false)
          jobs.splice(jobs.indexOf(watched), 1)
          await running.stop()
          clearTimeout(next)
        },
      }
    },
    look: () => looking.wake(),
    stop: () => looking.stop(),
  }
}
