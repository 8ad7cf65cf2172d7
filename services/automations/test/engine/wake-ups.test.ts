import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openDatabase } from '@lettergate/database'
import { consume, openBus, relayOutbox } from '@lettergate/events'
import type { Service } from '@lettergate/service'
import { loadConfig, type Config } from '../../src/config.ts'
import { startEngine } from '../../src/engine/start-engine.ts'
import { onAudienceSubscribed } from '../../src/enrollments/on-audience-subscribed.ts'
import { entities } from '../../src/entities.ts'
import { openContexts } from '../../src/open-contexts.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { adjustScore, onSubscription, sequence } from './definitions.ts'

const rehearsal = 'rehearsal-1'
const never = 2 ** 31 - 1

let s: RuntimeStage
let audienceId: string
let automationId: string
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  await s.stage.boot('automations', startWithoutPolls, loadConfig, s.env)
  const organization = await s.stage.query<{ id: string }>(
    `insert into identity.organizations (id, slug, name) values (gen_random_uuid(), 'acme', 'Acme') returning id`,
  )
  await s.stage.query(
    `insert into identity.workspaces (id, organization_id, slug, name, is_archived) values ($1, $2, 'synthetic-news', 'News', true)`,
    [s.us.caller.workspaceId, organization[0]!.id],
  )
})
beforeEach(async () => {
  audienceId = await s.audience()
})
afterAll(() => s.close())

/** A worker that looks for work when it starts, and then only when it is woken. */
async function startWithoutPolls(service: Service, config: Config) {
  const db = await service.use(openDatabase(service, { url: config.databaseUrl, schema: 'automations', entities }))
  const bus = await service.use(openBus(service, config))
  const ctx = await openContexts(service, config, { db, bus })
  await service.use(relayOutbox(service, db, bus))
  await service.use(startEngine(service, { bus, ctx, polls: { lookEveryMs: never, releaseEveryMs: never } }))
  await service.use(consume(service, { bus, db, consumer: onAudienceSubscribed, ctxOf: ctx.ofEvent }))
  return {}
}
const publish = async (nodes: Parameters<typeof sequence>[1]) => {
  automationId = await s.published(sequence(onSubscription(audienceId), nodes))
}
/** Resolves when the enrollment is completed, with how its steps ended. */
async function outcomes() {
  await s.inState(automationId, 'completed')
  return (await s.steps(automationId)).map(({ outcome }) => outcome)
}
const enrollmentId = async () => (await s.enrollments(automationId))[0]!.id
const control = async (action: string) =>
  s.automations.controlEnrollment(s.us, { enrollmentId: await enrollmentId(), action })
const joinOf = (id: string) => ({
  type: 'add_audience',
  config: { audience_id: id, wording_version: '1', source: 'a' },
})

test('a trigger wakes the engine', async () => {
  await publish([adjustScore(1)])
  await s.subscribe(await s.contact(), audienceId)
  expect(await outcomes()).toEqual(['applied', 'completed'])
})

test('a publication wakes the engine, which releases the contacts that were held', async () => {
  const gone = await s.audience()
  await publish([joinOf(gone), adjustScore(1)])
  await s.archiveAudience(gone)
  await s.subscribe(await s.contact(), audienceId)
  await s.inState(automationId, 'failed')
  await s.stage.query('update contacts.audiences set archived_at = null where id = $1', [gone])
  await s.automations.pauseAutomation(s.us, { automationId })
  // The replay wakes the engine, which sets the contact aside.
  await control('replay')
  await s.held(automationId, 1)
  await s.automations.publishAutomation(s.us, { automationId })
  expect(await outcomes()).toEqual(['failed', 'applied', 'applied', 'completed'])
})

test('a replay wakes the engine', async () => {
  const gone = await s.audience()
  await publish([joinOf(gone)])
  await s.archiveAudience(gone)
  await s.subscribe(await s.contact(), audienceId)
  await s.inState(automationId, 'failed')
  await s.stage.query('update contacts.audiences set archived_at = null where id = $1', [gone])
  await control('replay')
  expect(await outcomes()).toEqual(['failed', 'applied', 'completed'])
})

test('a resumption wakes the engine', async () => {
  const waiting = { type: 'wait_duration', config: { seconds: 86_400 } }
  await publish([waiting, adjustScore(1)])
  await s.subscribe(await s.contact(), audienceId)
  await s.inState(automationId, 'waiting')
  await control('pause')
  s.stage.clock.advance(2 * 86_400_000)
  await control('resume')
  expect(await outcomes()).toEqual(['waited', 'applied', 'completed'])
  s.stage.clock.release()
})

test('a synthetic enrollment wakes the engine', async () => {
  await publish([adjustScore(1)])
  const { automation } = await s.automations.getAutomation(s.us, { automationId })
  await s.automations.createSyntheticEnrollment(s.us, {
    automationId,
    versionId: automation!.selectedVersion!.id,
    contactId: await s.contact(s.us, {
      email: 'c@rehearsal.invalid',
      sourceMetadata: { synthetic_context_id: rehearsal },
    }),
    syntheticContextId: rehearsal,
    idempotencyKey: 'k',
  })
  expect(await outcomes()).toEqual(['applied', 'completed'])
})
