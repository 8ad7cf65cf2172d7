import { expect } from '@jest/globals'
import type { Ctx } from '../../src/ctx.ts'
import { claimSet, recoverLostSets, releaseHeldEnrollments, type ClaimedSet } from '../../src/engine/claim.ts'
import { doSteps } from '../../src/engine/do-steps.ts'
import type { EnrolledContact } from '../../src/engine/enrolled-contact.ts'
import { settleSteps, type DoneStep } from '../../src/engine/settle.ts'
import type { Compared } from './compare-trace.ts'
import { setMax, type EnrollmentModel, type ModelSet } from './enrollment-model.ts'

interface WorkerSet {
  readonly claim: ClaimedSet
  readonly people: readonly EnrolledContact[]
  readonly model: ModelSet
  results?: DoneStep[]
}

interface Trace extends Pick<Compared, 'query' | 'workspaceId'> {
  readonly ctx: Ctx
  readonly model: EnrollmentModel
}

/** The workers of a trace, in the service and in the model. Each does one part of its work at a time. */
export function traceWorkers({ ctx, query, workspaceId, model }: Trace) {
  const sets: (WorkerSet | undefined)[] = []
  const settled: (WorkerSet | undefined)[] = []

  /** As the loop of a worker does, which begins nothing while the gate is closed. */
  async function claim(worker: number) {
    if (sets[worker] || !model.isGateOpen) return
    const options = { now: ctx.now(), most: setMax, holder: `w${worker}`, leaseSeconds: 3_600 }
    const taken = await ctx.tx((em) => claimSet(em, workspaceId, options))
    const expected = model.claim()
    expect(taken?.people.length).toBe(expected?.people.length)
    if (taken) sets[worker] = { claim: taken, people: taken.people, model: expected! }
  }

  async function work(worker: number) {
    const set = sets[worker]
    if (!set || set.results) return
    set.results = await doSteps(ctx, set.people, { traceOf: () => ({}), mayGoOn: async () => model.isGateOpen })
    model.work(set.model)
  }

  async function settle(worker: number, goesOn: boolean) {
    const set = sets[worker]
    if (!set?.results) return
    const { going } = await record(set, goesOn && model.isGateOpen)
    const next = model.settle(set.model, goesOn)
    expect(going.length).toBe(next?.people.length ?? 0)
    settled[worker] = set
    sets[worker] = next && { claim: set.claim, people: going, model: next }
  }
  const record = ({ claim: of, results }: WorkerSet, goesOn: boolean) =>
    ctx.tx((em) => settleSteps(em, { claim: of, results: results!, now: ctx.now(), leaseSeconds: 3_600, goesOn }))

  /** As a worker settles that was slower than its lease. */
  async function settleAgain(worker: number) {
    const set = settled[worker]
    if (!set || sets[worker] || model.claims.has(set.model.claim)) return
    expect((await record(set, true)).going).toEqual([])
    expect(model.settle(set.model, true)).toBeUndefined()
  }

  async function loseClaims() {
    await query(`update automations.enrollment_claims set lease_until = '-infinity' where workspace_id = $1`, [
      workspaceId,
    ])
    await ctx.tx(recoverLostSets)
    model.loseClaims()
  }

  async function release() {
    await ctx.tx((em) => releaseHeldEnrollments(em, 1_000))
    model.release()
  }

  async function run(worker: number, goesOn: boolean) {
    await claim(worker)
    await work(worker)
    await settle(worker, goesOn)
  }

  return {
    claim,
    work,
    settle,
    settleAgain,
    run,
    loseClaims,
    release,
    isBusy: (worker: number) => sets[worker] !== undefined,
    kill: (worker: number) => void (sets[worker] = undefined),
  }
}
