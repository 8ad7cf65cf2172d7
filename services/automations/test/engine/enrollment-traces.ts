import { create } from '@bufbuild/protobuf'
import { expect } from '@jest/globals'
import { AudienceSubscribedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { handledBy } from '@lettergate/events/inbox'
import { systemCaller } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { archiveAutomation } from '../../src/automations/archive-automation.ts'
import { createAutomation } from '../../src/automations/create-automation.ts'
import { createAutomationVersion } from '../../src/automations/create-automation-version.ts'
import { getAutomation } from '../../src/automations/get-automation.ts'
import { markAutomationReadyForReview } from '../../src/automations/mark-automation-ready-for-review.ts'
import { pauseAutomation } from '../../src/automations/pause-automation.ts'
import { publishAutomation } from '../../src/automations/publish-automation.ts'
import { restoreAutomation } from '../../src/automations/restore-automation.ts'
import type { Ctx } from '../../src/ctx.ts'
import { automationGate } from '../../src/gates/automation-gate.ts'
import { controlEnrollment } from '../../src/enrollments/control-enrollment.ts'
import { createSyntheticEnrollment } from '../../src/enrollments/create-synthetic-enrollment.ts'
import { onAudienceSubscribed } from '../../src/enrollments/on-audience-subscribed.ts'
import { people, workers, type Act } from './acts.ts'
import { compareContacts, compareEnrollments, expectNothingLeft } from './compare-trace.ts'
import { EnrollmentModel } from './enrollment-model.ts'
import { definitionOf, modelGraphs } from './model-graphs.ts'
import { traceWorkers } from './trace-workers.ts'
import { openTraceWorkspace, rehearsal, type TraceWorkspaces } from './trace-workspace.ts'
import { simulateDelivery } from './simulated-delivery.ts'

const wrongStatus = { code: 'failed_precondition', reason: 'automation_status' }

interface Parts extends TraceWorkspaces {
  readonly ofCall: (scope: Pick<Ctx, 'caller' | 'deadline' | 'signal'>) => Ctx
}

/** Plays the acts in the service and in the model, each in a workspace of its own, and compares both after every act. */
export async function playTrace(parts: Parts, acts: readonly Act[]): Promise<void> {
  const trace = await openTrace(parts)
  for (const act of acts) await trace.play(act)
  await trace.finish()
}

async function openTrace(parts: Parts) {
  const { query, ofCall } = parts
  const contactIds = Array.from({ length: people }, () => newId())
  const { workspaceId, ...subjects } = await openTraceWorkspace(parts, contactIds)
  const { audienceId, tagId } = subjects
  const model = new EnrollmentModel(people, Date.parse('2027-03-01T10:00:00Z'))
  const delivery = simulateDelivery(model)
  /** The context of a call at the time of the trace. */
  const contextOf = (signal = new AbortController().signal): Ctx => {
    const caller = { ...systemCaller('model', newId()), workspaceId, role: 'owner' as const }
    const ctx = Object.create(ofCall({ caller, deadline: Infinity, signal })) as { -readonly [K in keyof Ctx]: Ctx[K] }
    ctx.now = () => new Date(model.now)
    ctx.emails = delivery.client
    const state: Ctx['gate']['state'] = async () => (model.isGateOpen ? 'open' : 'closed')
    const read: Ctx['gate']['read'] = async (scope) => ({ state: await state(scope), wasClosedAt: () => false })
    ctx.gate = { state, read, readNow: read, drop: () => undefined }
    const effective = () => ({ effective: { [automationGate]: model.isGateOpen }, ceilings: {}, switches: {} })
    ctx.identity = { ...ctx.identity, getGates: async () => effective() as never }
    return ctx
  }
  const ctx = contextOf()
  const { automation } = await createAutomation(ctx, {
    name: 'A',
    slug: 'a',
    definition: definitionOf(modelGraphs[0]!, subjects),
  } as never)
  const automationId = automation!.id as string
  const compared = { query, workspaceId, contactIds, model }
  const crew = traceWorkers({ ctx, query, workspaceId, model })
  const events: { id: string; time: Date; contact: number }[] = []
  const requests: { contact: number; key: string }[] = []

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
    const by = { correlationId: 'c', actor: 'human:a', actorKind: 'human', authMethod: 'bearer', trace: {} } as const
    const handled = { [handledBy]: onAudienceSubscribed.name }
    await onAudienceSubscribed.handle(ctx, [
      { id, time, data, source: 'contacts-consent', workspaceId, ...by, ...handled },
    ])
    model.trigger(fired.contact, id, time < new Date('2001-01-01'))
  }

  const idsOf = async () =>
    (
      await query('select id from automations.enrollments where workspace_id = $1 order by enrolled_at, id', [
        workspaceId,
      ])
    ).map(({ id }) => id as string)

  async function enrolSynthetic({ contact, request }: Extract<Act, { act: 'synthetic' }>) {
    const repeated = request === 'repeated' ? requests.at(-1) : undefined
    const wanted = repeated ?? { contact, key: newId() }
    if (!repeated) requests.push(wanted)
    const { selectedVersion } = (await getAutomation(ctx, { automationId } as never)).automation!
    const answer = createSyntheticEnrollment(ctx, {
      automationId,
      versionId: selectedVersion!.id,
      contactId: contactIds[wanted.contact]!,
      syntheticContextId: rehearsal,
      idempotencyKey: wanted.key,
    } as never)
    const expected = model.enrolSynthetic(wanted.contact, wanted.key)
    if (typeof expected === 'string') return expect(answer).rejects.toMatchObject({ code: expected })
    const { state, id } = (await answer).enrollment!
    expect([state, id]).toEqual([expected.state, (await idsOf())[model.enrollments.indexOf(expected)]])
  }

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
      const definition = definitionOf(modelGraphs[model.version % modelGraphs.length]!, subjects)
      const appended = createAutomationVersion(ctx, { automationId, definition } as never)
      if (model.isAudienceArchived) return expect(appended).rejects.toMatchObject({ code: 'invalid_argument' })
      await appended
      model.version += 1
      model.status = 'draft'
    } else if (what === 'publish' && model.status === 'archived') {
      await expect(publishAutomation(ctx, { automationId } as never)).rejects.toMatchObject(wrongStatus)
    } else if (what === 'publish' && model.status !== 'published' && model.isAudienceArchived) {
      await expect(publish()).rejects.toMatchObject({ code: 'failed_precondition', reason: 'references_missing' })
    } else if (what === 'publish' && model.status !== 'published') {
      await publish()
      model.status = 'published'
      model.publishedVersion = model.version
    } else if (what === 'pause' && model.status === 'published') {
      await pauseAutomation(ctx, { automationId } as never)
      model.status = 'paused'
    }
  }

  async function changeAutomation(what: 'archive' | 'restore') {
    if (what === 'archive') {
      await archiveAutomation(ctx, { automationId } as never)
      model.status = 'archived'
      return
    }
    const restored = restoreAutomation(ctx, { automationId } as never)
    if (model.status !== 'archived') return expect(restored).rejects.toMatchObject(wrongStatus)
    await restored
    model.status = 'draft'
  }

  async function tag({ contact, isTagged }: Extract<Act, { act: 'tag' }>) {
    const change = isTagged
      ? 'insert into contacts.contact_tags values ($1, $2, $3, 0) on conflict do nothing'
      : 'delete from contacts.contact_tags where workspace_id = $1 and contact_id = $2 and tag_id = $3'
    await query(change, [workspaceId, contactIds[contact], tagId])
    model.contacts[contact]!.isTagged = isTagged
  }

  async function archiveAudience() {
    model.isAudienceArchived = !model.isAudienceArchived
    await query('update contacts.audiences set archived_at = case when $2 then now() end where workspace_id = $1', [
      workspaceId,
      model.isAudienceArchived,
    ])
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
        return crew.claim(act.worker)
      case 'work':
        return crew.work(act.worker)
      case 'settle':
        return crew.settle(act.worker, act.goesOn)
      case 'run':
        return crew.run(act.worker, act.goesOn)
      case 'repeat settlement':
        return crew.settleAgain(act.worker)
      case 'kill':
        return crew.kill(act.worker)
      case 'lose claims':
        return crew.loseClaims()
      case 'release':
        return crew.release()
      case 'archive audience':
        return archiveAudience()
      case 'gate':
        model.isGateOpen = act.isOpen
        return
      case 'automation':
        return changeAutomation(act.what)
      case 'synthetic':
        return enrolSynthetic(act)
      case 'tag':
        return tag(act)
      case 'delivery':
        model.delivery = act.mode
        return
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
    /** Workers are gone, all is open, the automation is published, and new workers run: nobody who is not paused is left behind. */
    async finish() {
      for (let worker = 0; worker < workers; worker += 1) crew.kill(worker)
      Object.assign(model, { isGateOpen: true, delivery: 'accepts' })
      if (model.status === 'archived') await changeAutomation('restore')
      // A version that names an archived audience cannot be published.
      if (model.status !== 'published' && model.isAudienceArchived) await archiveAudience()
      await deploy('publish')
      await crew.loseClaims()
      await crew.release()
      const isUnfinished = () => model.enrollments.some(({ state }) => state === 'active' || state === 'waiting')
      for (let round = 0; isUnfinished(); round += 1) {
        if (round > 40) throw new Error('an enrollment does not end')
        model.now += 90_000
        do await crew.run(0, true)
        while (crew.isBusy(0))
      }
      await compareEnrollments(compared)
      await compareContacts(compared)
      expect(contactIds.map(delivery.emailsTo)).toEqual(model.emails)
      await expectNothingLeft(compared)
    },
  }
}
