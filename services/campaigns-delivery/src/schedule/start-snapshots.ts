import { Counter } from 'prom-client'
import { column, nullable, sql, statement } from '@lettergate/database'
import { gauge, systemCaller, type CallScope, type Part, type Service } from '@lettergate/service'
import { traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import type { WaitingWork } from '../waiting-work.ts'
import { runSnapshotJob } from './run-snapshot-job.ts'
import { takeSnapshot, type LeasedSnapshotJob } from './snapshot-job.entity.ts'

const selectOldestAge = statement('select-age-of-oldest-snapshot', { age: nullable(column.double()) })

interface Parts {
  ctx: { ofCall: (scope: CallScope) => Ctx; ofSystem: (job: string) => Ctx }
  work: WaitingWork
}

/** One is taken at a time, so that several workers share the work. */
const takeEveryMs = 100

/**
 * Builds the requested snapshots in any number of workers, with limits over all workers and for each workspace. `stop`
 * releases the snapshots under way, and another worker starts them again at once.
 */
export function startSnapshots(service: Service, { ctx, work }: Parts): Part {
  const results = new Counter({
    name: 'lettergate_snapshots_total',
    help: 'Attempts to build a snapshot, by result: scheduled, refused, failed, postponed, stopped, lost',
    labelNames: ['result'],
    registers: [service.metrics],
  })
  const system = ctx.ofSystem('metrics')
  gauge(service, {
    name: 'lettergate_snapshot_oldest_seconds',
    help: 'Age of the oldest request for a snapshot that is neither built nor failed',
    async read() {
      const oldest = await system.tx((em) =>
        selectOldestAge.row(
          em,
          sql`select extract(epoch from now() - min(requested_at))::float8 as age from snapshot_jobs where failed_at is null`,
        ),
      )
      return oldest!.age ?? 0
    },
  })
  const building = new Map<Promise<void>, AbortController>()
  let stopped = false

  async function build(job: LeasedSnapshotJob, stop: AbortController): Promise<void> {
    const { workspace_id: workspaceId, run_id, scheduled_by, correlation_id } = job
    const own = ctx.ofCall({
      caller: { ...systemCaller('build-snapshots', correlation_id), workspaceId, actor: scheduled_by },
      deadline: Infinity,
      signal: stop.signal,
    })
    try {
      const result = await traced('build snapshot', { parent: job.trace }, () => runSnapshotJob(own, job, stop))
      results.inc({ result })
    } catch (error) {
      results.inc({ result: 'lost' })
      service.log.warn({ err: error, run_id }, 'a snapshot attempt failed; it is retried when its lease ends')
    }
  }

  const takeNext = async () => {
    const system = ctx.ofSystem('build-snapshots')
    const { snapshotsAtOnce: atOnce, snapshotsPerWorkspace: perWorkspace } = system.config
    const job = stopped
      ? undefined
      : await system.tx((em) => takeSnapshot(em, { atOnce, perWorkspace }), { isLong: true })
    if (!job) return
    const stop = new AbortController()
    const built = build(job, stop).finally(() => {
      building.delete(built)
      work.look()
    })
    building.set(built, stop)
    if (stopped) stop.abort()
  }
  const taking = work.job('build-snapshots', {
    everyMs: takeEveryMs,
    waiting: 'select from snapshot_jobs where failed_at is null',
    run: takeNext,
  })
  return {
    async stop() {
      stopped = true
      for (const stop of building.values()) stop.abort()
      await taking.stop()
      await Promise.all(building.keys())
    },
  }
}
