import { hostname } from 'node:os'
import type { Bus } from '@lettergate/events'
import { onWorkMade } from '@lettergate/events/wake-workers'
import { newId } from '@lettergate/database'
import { repeat, systemCaller, type CallScope, type Part, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { onGateChanged } from '../gates/on-gate-changed.ts'
import {
  claimSet,
  dueWorkspaces,
  firstId,
  lookForWork,
  recoverLostSets,
  releaseHeldEnrollments,
  type ClaimedSet,
} from './claim.ts'
import { openEngineMetrics } from './metrics.ts'
import { runSet } from './run-set.ts'

interface Parts {
  bus: Bus
  ctx: { ofCall: (scope: CallScope) => Ctx; ofSystem: (job: string) => Ctx }
  /** how often the engine looks without being woken */
  polls?: { lookEveryMs: number; releaseEveryMs: number }
}

const usualPolls = { lookEveryMs: 2_000, releaseEveryMs: 30_000 }
const releasedAtOnce = 1_000
/** Contacts in one set. The calls of a step take at most this many. */
const setMax = 200

/**
 * Does the due steps of enrollments, a few sets at a time. Looks for them every two seconds, and at once when there is new work. Workspaces
 * take turns: each has one set in a turn. A workspace that has a set takes neither the last place nor more than all places but two, so
 * with three places or more, two workspaces with slow calls leave one for others. No set and no step begins while the gate is closed.
 * `stop` waits for the steps under way.
 */
export async function startEngine(service: Service, { bus, ctx, polls = usualPolls }: Parts): Promise<Part> {
  const system = ctx.ofSystem('run-enrollments')
  const { setsAtOnce, leaseSeconds } = system.config
  const metrics = openEngineMetrics(service, ctx.ofSystem('metrics'))
  const holder = `${hostname()} ${process.pid}`
  const running = new Map<Promise<void>, string>()
  let stopped = false
  let turn: string[] = []
  let last = firstId

  const mayGoOn = async () => !stopped && (await system.gate.state(system)) === 'open'

  async function run(claim: ClaimedSet): Promise<void> {
    const caller = { ...systemCaller('run-enrollments', newId()), workspaceId: claim.workspaceId }
    const own = ctx.ofCall({ caller, deadline: Infinity, signal: new AbortController().signal })
    try {
      await runSet(own, claim, { metrics, mayGoOn })
    } catch (error) {
      service.log.warn(
        { err: error, workspace_id: claim.workspaceId, contacts: claim.people.length },
        'a set of automation steps stopped; its contacts are due again when its lease ends',
      )
    }
  }

  /** Whether a workspace has all sets that it may have now, so that slow calls of one or two workspaces do not delay others. */
  const isFull = (workspaceId: string) => {
    const own = [...running.values()].filter((id) => id === workspaceId).length
    return own > 0 && (own >= setsAtOnce - 2 || running.size >= setsAtOnce - 1)
  }

  /** The next set, of the workspace whose turn it is. Undefined when nothing is due in a workspace that may have another set. */
  async function takeNext(): Promise<ClaimedSet | undefined> {
    for (;;) {
      const now = system.now()
      if (turn.length === 0)
        turn = (await system.tx((em) => dueWorkspaces(em, { after: last, now }))).filter((id) => !isFull(id))
      const workspaceId = turn.shift()
      if (workspaceId === undefined) return undefined
      last = workspaceId
      if (isFull(workspaceId)) continue
      const claim = await system
        .inWorkspace(workspaceId)
        .tx((em) => claimSet(em, workspaceId, { now, most: setMax, holder, leaseSeconds }))
      if (claim) return claim
    }
  }

  /** Answers `unfinished` if work is due that may not begin now, because nothing wakes the engine when the gate is open again. */
  async function takeAll(): Promise<'finished' | 'unfinished'> {
    const { isDue, isLost } = await system.tx((em) => lookForWork(em, system.now()))
    if (!isDue && !isLost) return 'finished'
    if (!(await mayGoOn())) return 'unfinished'
    if (isLost) await system.tx(recoverLostSets)
    while (running.size < setsAtOnce) {
      if (!(await mayGoOn())) return 'unfinished'
      const claim = await takeNext()
      if (!claim) return 'finished'
      const done = run(claim).finally(() => {
        running.delete(done)
        looking.wake()
      })
      running.set(done, claim.workspaceId)
    }
    return 'finished' // the end of a set wakes the engine
  }
  const looking = repeat(service, 'run-enrollments', polls.lookEveryMs, takeAll)
  const releasing = repeat(service, 'release-held-enrollments', polls.releaseEveryMs, async () => {
    const released = await ctx
      .ofSystem('release-held-enrollments')
      .tx((em) => releaseHeldEnrollments(em, releasedAtOnce))
    if (released > 0) looking.wake()
    return released > 0 ? 'unfinished' : 'finished'
  })
  await service.use(
    onWorkMade(bus, service.name, () => {
      looking.wake()
      releasing.wake()
    }),
  )
  await service.use(
    onGateChanged(bus, () => {
      system.gate.drop()
      looking.wake()
    }),
  )
  return {
    async stop() {
      stopped = true
      await Promise.all([looking.stop(), releasing.stop()])
      await Promise.all(running.keys())
    },
  }
}
