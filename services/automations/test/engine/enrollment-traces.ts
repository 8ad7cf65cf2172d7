import { create } from '@bufbuild/protobuf'
import { expect } from '@jest/globals'
import { AudienceSubscribedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { handledBy } from '@lettergate/events/inbox'
import { systemCaller } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { createAutomation } from '../../src/automations/create-automation.ts'
import { createAutomationVersion } from '../../src/automations/create-automation-version.ts'
import { getAutomation } from '../../src/automations/get-automation.ts'
import { markAutomationReadyForReview } from '../../src/automations/mark-automation-ready-for-review.ts'
import { pauseAutomation } from '../../src/automations/pause-automation.ts'
import { publishAutomation } from '../../src/automations/publish-automation.ts'
import type { Ctx } from '../../src/ctx.ts'
import { claimSet, recoverLostSets, releaseHeldEnrollments, type ClaimedSet } from '../../src/engine/claim.ts'
import { doSteps } from '../../src/engine/do-steps.ts'
import type { EnrolledContact } from '../../src/engine/enrolled-contact.ts'
import { settleSteps, type DoneStep } from '../../src/engine/settle.ts'
import { controlEnrollment } from '../../src/enrollments/control-enrollment.ts'
import { onAudienceSubscribed } from '../../src/enrollments/on-audience-subscribed.ts'
import { people, workers, type Act } from './acts.ts'
import { compareContacts, compareEnrollments, expectNothingLeft, type Compared } from './compare-trace.ts'
import { EnrollmentModel, type ModelSet } from './enrollment-model.ts'
import { definitionOf, modelGraphs } from './model-graphs.ts'

interface WorkerSet {
  readonly claim: ClaimedSet
  readonly people: readonly EnrolledContact[]
  readonly model: ModelSet
  results?: DoneStep[]
}

interface Parts {
  readonly query: Compared['query']
  readonly ofCall: (scope: Pick<Ctx, 'caller' | 'deadline' | 'signal'>) => Ctx
}

/** Plays the acts in the service and in the model, each in a workspace of its own, and compares both after every act. */
export async function playTrace(parts: Parts, acts: readonly Act[]): Promise<void> {
  const trace = await openTrace(parts)
  for (const act of acts) await trace.play(act)
  await trace.finish()
}

async function openTrace({ query, ofCall }: Parts) {
  const workspaceId = newId()
  const audienceId = newId()
  const contactIds = Array.from({ length: people }, () => newId())
  const model = new EnrollmentModel(people, Date.parse('2027-03-01T10:00:00Z'))
  await query(
    `with w as (insert into contacts.workspaces values ($1::uuid, 'o', 'w', 'W', false, now())),
       a as (insert into contacts.audiences (workspace_id, id, name, slug, purpose) values ($1::uuid, $2, 'A', 'a', 'p'))
     insert into contacts.contacts (workspace_id, id, email, normalized_email)
     select $1::uuid, id, id || '@a.test', id || '@a.test' from unnest($3::uuid[]) id`,
    [workspaceId, audienceId, contactIds],
  )
  /** The context of a call at the time of the trace. */
  const contextOf = (signal = new AbortController().signal): Ctx => {
    const caller = { ...systemCaller('model', newId()), workspaceId, role: 'owner' as const }
    const ctx = Object.create(ofCall({ caller, deadline: Infinity, signal })) as { -readonly [K in keyof Ctx]: Ctx[K] }
    ctx.now = () => new Date(model.now)
    return ctx
  }
  const ctx = contextOf()
  const { automation } = await createAutomation(ctx, {
    name: 'A',
    slug: 'a',
    definition: definitionOf(modelGraphs[0]!, audienceId),
  } as never)
  const automationId = automation!.id as string
  const compared = { query, workspaceId, contactIds, model }
  const sets: (WorkerSet | undefined)[] = []
  const settled: (WorkerSet | undefined)[] = []
  const events: { id: string; time: Date; contact: number }[] = []

  async function publish() {
    if (model.status === 'draft') {
      const { selectedVersion: version } = (await getAutomation(ctx, { automationId } as never)).automation!
      await markAutomationReadyForReview(ctx, {
        automationId,
        versionId: version!.id!,
        definitionChecksum: version!.definitionChecksum!,
      } as never)
    }
    await publishAutomation(ctx, { automationId } as never)
  }
  model.status = 'draft'
  await publish()
  model.status = 'published'

  async function trigger({ contact, event }: Extract<Act, { act: 'trigger' }>) {
    const fired =
      event === 'repeated' && events.length > 0
        ? events.at(-1)!
        : { id: newId(), time: new Date(event === 'old' ? '2000-01-01' : '2099-01-01'), contact }
    if (!events.includes(fired)) events.push(fired)
    const data = create(AudienceSubscribedSchema, { contactId: contactIds[fired.contact]!, audienceId })
    const { id, time } = fired
    const received = { id, time, data, source: 'contacts-consent', workspaceId, correlationId: 'c', trace: {} }
    await onAudienceSubscribed.handle(ctx, [handledBy(received, onAudienceSubscribed.name)])
    model.trigger(fired.contact, id, time < new Date('2001-01-01'))
  }

  const idsOf = async () =>
    (
      await query('select id from automations.enrollments where workspace_id = $1 order by enrolled_at, id', [
        workspaceId,
      ])
    ).map(({ id }) => id as string)

  async function control({ action, enrollment: back, step }: Extract<Act, { act: 'control' }>) {
    const index = model.enrollments.length - 1 - back
    const one = model.enrollments[index]
    if (!one) return
    const enrollmentId = (await idsOf())[index]!
    const numbers = [...one.finished.keys()].toSorted((a, b) => a - b)
    const number = step === undefined || numbers.length === 0 ? undefined : numbers[step % numbers.length]
    const [named] =
      number === undefined
        ? []
        : await query(
            'select step_id from automations.enrollment_steps where workspace_id = $1 and enrollment_id = $2 and number = $3',
            [workspaceId, enrollmentId, number],
          )
    const isWaitingForWorker = (action === 'pause' || action === 'cancel') && model.isClaimed(one)
    const fits = model.control(one, action, number)
    const caller = new AbortController()
    const stepId = action === 'replay' && named ? { stepId: named['step_id'] } : {}
    const answer = controlEnrollment(contextOf(caller.signal), { enrollmentId, action, ...stepId } as never)
    if (fits && isWaitingForWorker) {
      // The answer waits for the worker, and the caller gives up after the change.
      const changed = until(async () => (await stateOf(enrollmentId)) === one.state, { everyMs: 2 }).finally(() =>
        caller.abort(),
      )
      await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
      await changed
    } else if (fits) expect((await answer).enrollment!.state).toBe(one.state)
    else await expect(answer).rejects.toMatchObject({ code: 'conflict' })
  }
  const stateOf = async (enrollmentId: string) =>
    (
      await query(
        `select coalesce(e.end_state, p.state) as state from automations.enrollments e
           left join automations.enrollment_positions p on p.workspace_id = e.workspace_id and p.enrollment_id = e.id
          where e.workspace_id = $1 and e.id = $2`,
        [workspaceId, enrollmentId],
      )
    )[0]!['state']

  async function deploy(what: 'append' | 'publish' | 'pause') {
    if (what === 'append') {
      const definition = definitionOf(modelGraphs[model.version % modelGraphs.length]!, audienceId)
      const appended = createAutomationVersion(ctx, { automationId, definition } as never)
      if (model.isArchived) return expect(appended).rejects.toMatchObject({ code: 'invalid_argument' })
      await appended
      model.version += 1
      model.status = 'draft'
    } else if (what === 'publish' && model.status !== 'published') {
      await publish()
      model.status = 'published'
      model.publishedVersion = model.version
    } else if (what === 'pause' && model.status === 'published') {
      await pauseAutomation(ctx, { automationId } as never)
      model.status = 'paused'
    }
  }

  async function claim(worker: number) {
    if (sets[worker]) return
    const options = { now: ctx.now(), most: 200, holder: `w${worker}`, leaseSeconds: 3_600 }
    const taken = await ctx.tx((em) => claimSet(em, workspaceId, options))
    const expected = model.claim()
    expect(taken?.people.length).toBe(expected?.people.length)
    if (taken) sets[worker] = { claim: taken, people: taken.people, model: expected! }
  }

  async function work(worker: number) {
    const set = sets[worker]
    if (!set || set.results) return
    set.results = await doSteps(ctx, set.people)
    model.work(set.model)
  }

  async function settle(worker: number, goesOn: boolean) {
    const set = sets[worker]
    if (!set?.results) return
    const { going } = await record(set, goesOn)
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

  async function archive() {
    model.isArchived = !model.isArchived
    await query('update contacts.audiences set archived_at = case when $2 then now() end where workspace_id = $1', [
      workspaceId,
      model.isArchived,
    ])
  }

  async function run(worker: number, goesOn: boolean) {
    await claim(worker)
    await work(worker)
    await settle(worker, goesOn)
  }

  async function perform(act: Act): Promise<void> {
    switch (act.act) {
      case 'trigger':
        return trigger(act)
      case 'control':
        return control(act)
      case 'deploy':
        return deploy(act.what)
      case 'claim':
        return claim(act.worker)
      case 'work':
        return work(act.worker)
      case 'settle':
        return settle(act.worker, act.goesOn)
      case 'run':
        return run(act.worker, act.goesOn)
      case 'repeat settlement':
        return settleAgain(act.worker)
      case 'kill':
        sets[act.worker] = undefined
        return
      case 'lose claims':
        return loseClaims()
      case 'release':
        return release()
      case 'archive':
        return archive()
      case 'wait':
        model.now += act.seconds * 1_000
    }
  }

  return {
    async play(act: Act) {
      model.now += 1
      await perform(act)
      await compareEnrollments(compared)
    },
    /** Every worker is gone, the automation is published, and new workers run: nobody who is not paused is left behind. */
    async finish() {
      for (let worker = 0; worker < workers; worker += 1) await perform({ act: 'kill', worker })
      await deploy('publish')
      await loseClaims()
      await release()
      const isUnfinished = () => model.enrollments.some(({ state }) => state === 'active' || state === 'waiting')
      for (let round = 0; isUnfinished(); round += 1) {
        if (round > 40) throw new Error('an enrollment does not end')
        model.now += 90_000
        do await run(0, true)
        while (sets[0])
      }
      await compareEnrollments(compared)
      await compareContacts(compared)
      await expectNothingLeft(compared)
    },
  }
}
