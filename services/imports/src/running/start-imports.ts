import { hostname } from 'node:os'
import { Counter } from 'prom-client'
import { column, nullable, sql, statement } from '@lettergate/database'
import type { Bus } from '@lettergate/events'
import { onWorkMade } from '@lettergate/events/wake-workers'
import {
  gauge,
  labelledGauge,
  repeat,
  systemCaller,
  type CallScope,
  type Part,
  type Service,
} from '@lettergate/service'
import { traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import type { ImportJobRow } from '../jobs/import-job.entity.ts'
import { isAnyImportWaiting, takeImport } from './import-lease.ts'
import { runImport } from './run-import.ts'

interface Parts {
  bus: Bus
  ctx: { ofCall: (scope: CallScope) => Ctx; ofSystem: (job: string) => Ctx }
}

const lookEveryMs = 2_000

/**
 * Runs waiting imports, a few at a time in each worker. Looks for them every two seconds, and at once when the api queued one. `stop`
 * releases the imports under way, and another worker starts them again at once.
 */
export async function startImports(service: Service, { bus, ctx }: Parts): Promise<Part> {
  const metrics = openMetrics(service, ctx.ofSystem('metrics'))
  const holder = `${hostname()} ${process.pid}`
  const system = ctx.ofSystem('run-imports')
  const { importJobsAtOnce: atOnce, importLeaseSeconds: leaseSeconds } = system.config
  const running = new Map<Promise<void>, AbortController>()
  let stopped = false

  async function run(job: ImportJobRow, stop: AbortController): Promise<void> {
    const own = ctx.ofCall({
      caller: { ...systemCaller('run-imports', job.correlation_id), workspaceId: job.workspace_id },
      deadline: Infinity,
      signal: stop.signal,
    })
    const name = job.status === 'applying' ? 'apply import' : 'dry run of import'
    try {
      const rowsDone = (phase: string, rows: number) => metrics.rows.inc({ phase }, rows)
      const result = await traced(name, { attributes: { 'lettergate.import.id': job.id } }, () =>
        runImport({ ctx: own, job, rowsDone }, stop),
      )
      metrics.results.inc({ run: job.status === 'applying' ? 'apply' : 'dry_run', result })
    } catch (error) {
      service.log.warn(
        { err: error, import_id: job.id },
        'an import stopped; another start follows when its lease ends',
      )
    }
  }

  const takeAll = async () => {
    while (!stopped && running.size < atOnce && (await system.tx(isAnyImportWaiting))) {
      const job = await system.tx((em) => takeImport(em, { holder, leaseSeconds }))
      if (!job) return
      const stop = new AbortController()
      const done = run(job, stop).finally(() => {
        running.delete(done)
        looking.wake()
      })
      running.set(done, stop)
      if (stopped) stop.abort()
    }
  }
  const looking = repeat(service, 'run-imports', lookEveryMs, takeAll)
  await service.use(onWorkMade(bus, service.name, () => looking.wake()))
  return {
    async stop() {
      stopped = true
      for (const stop of running.values()) stop.abort()
      await looking.stop()
      await Promise.all(running.keys())
    },
  }
}

const countByStatus = statement('count-imports-by-status', { status: column.text(), value: column.integer() })
const selectOldestQueued = statement('select-age-of-oldest-queued-import', { age: nullable(column.double()) })

function openMetrics(service: Service, system: Ctx) {
  gauge(service, {
    name: 'lettergate_import_oldest_queued_seconds',
    help: 'Age of the oldest import that waits for a worker',
    async read() {
      const oldest = await system.tx((em) =>
        selectOldestQueued.row(
          em,
          sql`select extract(epoch from now() - min(queued_at))::float8 as age from import_jobs
               where sealed_key is not null and status in ('dry_run_queued', 'apply_queued')`,
        ),
      )
      return oldest!.age ?? 0
    },
  })
  labelledGauge(service, {
    name: 'lettergate_imports',
    help: 'Imports that have not ended, by status',
    labelNames: ['status'],
    read: () =>
      system.tx((em) =>
        countByStatus.rows(
          em,
          sql`select status, count(*)::int as value from import_jobs where sealed_key is not null group by status`,
        ),
      ),
  })
  return {
    rows: new Counter({
      name: 'lettergate_import_rows_total',
      help: 'Rows by phase: dry_run counts rows of files, suppressions and contacts count applied rows',
      labelNames: ['phase'],
      registers: [service.metrics],
    }),
    results: new Counter({
      name: 'lettergate_import_runs_total',
      help: 'Starts of workers on imports, by run (dry_run, apply) and result: reviewable, completed, failed, postponed, stopped, lost',
      labelNames: ['run', 'result'],
      registers: [service.metrics],
    }),
  }
}
