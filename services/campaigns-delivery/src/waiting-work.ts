import { column, lastRead, sql, statement } from '@lettergate/database'
import { repeat, type Part, type Service } from '@lettergate/service'
import type { Ctx } from './ctx.ts'

interface WatchedJob {
  everyMs: number
  /** A query without parameters that finds a row whenever the job may have work. */
  waiting: string
  run: () => Promise<void>
}

/**
 * The jobs of a worker that look for work in the database. One statement checks for all of them: every second while any of them
 * has work, otherwise every two seconds, so that an idle worker uses hardly any processor time.
 */
export interface WaitingWork extends Part {
  /**
   * Runs a job every `everyMs` while it has work, and every minute otherwise. `wake` runs it at once. Runs of one job never
   * overlap.
   */
  job(name: string, options: WatchedJob): Part & { wake(): void }
  /** Checks for work now. */
  look(): void
}

const lookEveryMs = 2_000
const inAnyCaseMs = 60_000

/** Answers the indexes of the queries that find a row. */
export type Find = (queries: readonly string[]) => Promise<number[]>

const selectWaitingJobs = statement('select-waiting-jobs', { job: column.integer() })

export const findIn =
  (system: Pick<Ctx, 'tx'>): Find =>
  async (queries) => {
    const jobs = queries.map((query, index) => `(${index}, exists (${query}))`).join(', ')
    const select = `select job from (values ${jobs}) as jobs (job, is_waiting) where is_waiting`
    const found = await system.tx((em) => selectWaitingJobs.rows(em, lastRead(sql.raw(select))))
    return found.map(({ job }) => job)
  }

export function watchForWork(service: Service, find: Find): WaitingWork {
  const jobs: { waiting: string; found(isWaiting: boolean): void }[] = []

  async function lookOnce(): Promise<'finished' | 'unfinished'> {
    if (jobs.length === 0) return 'finished'
    const asked = [...jobs]
    const found = await find(asked.map(({ waiting }) => waiting))
    for (const [index, job] of asked.entries()) job.found(found.includes(index))
    return found.length === 0 ? 'finished' : 'unfinished'
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
