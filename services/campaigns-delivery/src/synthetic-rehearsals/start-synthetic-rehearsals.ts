import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { systemCaller, type CallScope, type Service } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import { traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import type { WaitingWork } from '../waiting-work.ts'
import { openRehearsalMetrics } from './metrics.ts'
import { lostReport } from './rehearsal-report.ts'
import { endOfFailed, runRehearsal } from './run-rehearsal.ts'
import {
  endRehearsal,
  findLostRehearsals,
  lostRehearsals,
  renewRehearsal,
  takeRehearsal,
  type RehearsalEnd,
  type TakenRehearsal,
} from './synthetic-rehearsal.entity.ts'

interface Parts {
  ctx: { ofCall: (scope: CallScope) => Ctx; ofSystem: (job: string) => Ctx }
  work: WaitingWork
}

const renewEveryMs = 5_000
const timeoutMs = 900_000

/**
 * Runs queued rehearsals in any number of workers, one at a time over all of them and all workspaces, on one connection of the
 * pool for long work. `stop` ends the one under way as failed. A rehearsal whose worker died ends as failed too.
 */
export async function startSyntheticRehearsals(service: Service, { ctx, work }: Parts): Promise<void> {
  const metrics = openRehearsalMetrics(service)
  const stop = new AbortController()
  const ctxOf = ({ workspace_id: workspaceId, correlation_id }: TakenRehearsal, signal: AbortSignal) =>
    ctx.ofCall({
      caller: { ...systemCaller('synthetic-rehearsal', correlation_id), workspaceId },
      deadline: Infinity,
      signal,
    })

  async function end(taken: TakenRehearsal, ended: RehearsalEnd): Promise<void> {
    const own = ctxOf(taken, new AbortController().signal)
    const isOurs = await own.tx(async (em) => {
      if (!(await endRehearsal(em, taken, ended))) return false
      await publish(em, AuditRecordedSchema, {
        action: `synthetic_rehearsal_${ended.state}`,
        subjectType: 'synthetic_rehearsal',
        subjectId: taken.id,
        actor: taken.requested_by,
        detail: { recipient_count: taken.recipient_count, cleanup_verified: ended.cleanupVerified },
      })
      return true
    })
    if (isOurs) metrics.ended(ended.state)
  }

  async function run(taken: TakenRehearsal): Promise<void> {
    const lost = new AbortController()
    const own = ctxOf(taken, AbortSignal.any([stop.signal, lost.signal, AbortSignal.timeout(timeoutMs)]))
    const renew = async () => {
      const isRunning = await own.tx((em) => renewRehearsal(em, taken)).catch(() => true)
      if (!isRunning) lost.abort()
    }
    const renewing = setInterval(() => void renew(), renewEveryMs)
    metrics.running(1)
    try {
      const attributes = { 'lettergate.synthetic_rehearsal.recipients': taken.recipient_count }
      await end(
        taken,
        await traced('run synthetic rehearsal', { parent: taken.trace, attributes }, () =>
          runRehearsal(own, service, taken),
        ),
      )
    } finally {
      clearInterval(renewing)
      metrics.running(0)
    }
  }

  const running = work.job('run-synthetic-rehearsals', {
    everyMs: 1_000,
    waiting: "select from synthetic_rehearsals where state = 'queued'",
    run: async () => {
      if (stop.signal.aborted) return
      const taken = await ctx.ofSystem('run-synthetic-rehearsals').tx(takeRehearsal)
      if (taken) await run(taken)
    },
  })
  await service.use({
    async stop() {
      stop.abort()
      await running.stop()
    },
  })
  const each = oneByOne(service, 'end-lost-rehearsals')
  await service.use(
    work.job('end-lost-rehearsals', {
      everyMs: 5_000,
      waiting: lostRehearsals,
      run: async () => {
        const lost = await ctx.ofSystem('end-lost-rehearsals').tx(findLostRehearsals)
        await each.forEach(lost, async (taken) => {
          await end(taken, await endOfFailed(ctxOf(taken, new AbortController().signal), taken, lostReport))
        })
      },
    }),
  )
}
