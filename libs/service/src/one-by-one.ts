import { Counter } from 'prom-client'
import { isOutage } from '@lettergate/fault'
import { retryInMs } from './item-retry.ts'
import type { Service } from './lifecycle.ts'

export interface Item {
  workspace_id: string
  id: string
}

/** Processes the items of one job separately, and remembers those that failed. */
export interface OneByOne {
  /** The ids of failed items whose next attempt is later; the statement that reads items excludes them. */
  postponed(): string[]
  /** If one item throws, it is logged, counted and postponed, longer after each failure; the other items are processed. */
  forEach<T extends Item>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void>
}

/** Failures are remembered in this process: another worker, or this one after a restart, retries the items at once. */
export function oneByOne(
  service: Pick<Service, 'log' | 'metrics'>,
  job: string,
  clock: () => number = () => performance.now(),
): OneByOne {
  const failures = failuresOf(service)
  const failed = new Map<string, { times: number; retryAt: number; deleteAt: number }>()

  function postpone({ workspace_id, id }: Item, error: unknown) {
    const times = (failed.get(id)?.times ?? 0) + 1
    const isTemporary = isOutage(error)
    const retryMs = retryInMs(times, isTemporary)
    failed.set(id, { times, retryAt: clock() + retryMs, deleteAt: clock() + retryMs * 4 })
    failures.inc({ job })
    service.log[isTemporary ? 'warn' : 'error'](
      { err: error, job, workspace_id, item: id, failures: times, retry_ms: retryMs },
      'an item of a job failed and will be retried; the other items are processed',
    )
  }

  return {
    postponed() {
      for (const [id, { deleteAt }] of failed) if (clock() >= deleteAt) failed.delete(id)
      return [...failed].flatMap(([id, { retryAt }]) => (clock() < retryAt ? [id] : []))
    },
    async forEach(items, work) {
      for (const item of items) {
        try {
          await work(item)
          failed.delete(item.id)
        } catch (error) {
          postpone(item, error)
        }
      }
    },
  }
}

function failuresOf(service: Pick<Service, 'metrics'>) {
  const name = 'lettergate_job_item_failures_total'
  return (
    (service.metrics.getSingleMetric(name) as Counter | undefined) ??
    new Counter({
      name,
      help: 'Items that a job could not process and will retry, by job',
      labelNames: ['job'],
      registers: [service.metrics],
    })
  )
}
