import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { GateChangedSchema } from '@lettergate/contracts/events/v1/events'
import { openDatabase } from '@lettergate/database'
import { consume, openBus, relayOutbox } from '@lettergate/events'
import type { Service } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { loadConfig, type Config } from '../../src/config.ts'
import { startEngine } from '../../src/engine/start-engine.ts'
import { onAudienceSubscribed } from '../../src/enrollments/on-audience-subscribed.ts'
import { entities } from '../../src/entities.ts'
import { automationGate } from '../../src/gates/automation-gate.ts'
import { openContexts } from '../../src/open-contexts.ts'
import { openRelay, type Relay } from '../relay.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { adjustScore, onSubscription, sequence } from './definitions.ts'
import { heldCommits } from './held-commits.ts'

const claims = 'automations.enrollment_claims'

let s: RuntimeStage
let contacts: Relay
let commits: Awaited<ReturnType<typeof heldCommits>>
let gateState: () => Promise<string>
let audienceId: string
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  contacts = await openRelay(Number(s.env.CONTACTS_CONSENT_TARGET.split(':').at(-1)))
  commits = await heldCommits(s.stage.adminUrl, [claims])
  const env = { ...s.env, CONTACTS_CONSENT_TARGET: contacts.target, ROLE: 'worker' }
  await s.stage.boot('automations', startUntimed, loadConfig, env)
})
beforeEach(async () => {
  audienceId = await s.audience()
})
afterAll(async () => {
  await commits.close()
  await s.close()
  await contacts.stop()
})

/** A worker for whose gate no time passes, so that only an event changes what it knows. */
async function startUntimed(service: Service, config: Config) {
  const db = await service.use(openDatabase(service, { url: config.databaseUrl, schema: 'automations', entities }))
  const bus = await service.use(openBus(service, config))
  const ctx = await openContexts(service, config, { db, bus, gateClock: () => 0 })
  await service.use(relayOutbox(service, db, bus))
  await service.use(startEngine(service, { bus, ctx }))
  await service.use(consume(service, { bus, db, consumer: onAudienceSubscribed, ctxOf: ctx.ofEvent }))
  const system = ctx.ofSystem('test')
  gateState = () => system.gate.state(system)
  return {}
}

/** Sets the gate as the gateway does, and resolves when the worker knows it. */
async function setGate(isOpen: boolean) {
  await s.setGate(isOpen)
  await s.stage.publish('gateway', GateChangedSchema, { name: automationGate, effective: isOpen })
  const expected = isOpen ? 'open' : 'closed'
  await until(async () => (await gateState()) === expected, { what: `a worker whose gate is ${expected}` })
}

const positionOf = async (automationId: string) =>
  (
    await s.stage.query<{ waiting_reason: string | null; due_at: Date }>(
      'select waiting_reason, due_at from automations.enrollment_positions where automation_id = $1',
      [automationId],
    )
  )[0]

/** Resolves when the worker that took the contact has put it back, with no step done. */
async function putBack(automationId: string, since: Date) {
  await until(async () => (await positionOf(automationId))?.due_at.getTime() !== since.getTime())
  expect(await s.steps(automationId)).toEqual([])
  expect((await positionOf(automationId))!.waiting_reason).toBeNull()
}

test('a step whose contact was taken before the gate closed does not begin, and goes on when it opens', async () => {
  const automationId = await s.published(sequence(onSubscription(audienceId), [adjustScore(1)]))
  await commits.hold(claims)
  await s.subscribe(await s.contact(), audienceId)
  await commits.reached()
  const { due_at: since } = (await positionOf(automationId))!
  await setGate(false)
  s.stage.clock.advance(1_000)
  await commits.release(claims)
  await putBack(automationId, since)
  await setGate(true)
  await s.completed(automationId, 1)
  expect((await s.steps(automationId)).map(({ outcome }) => outcome)).toEqual(['applied', 'completed'])
  s.stage.clock.release()
})

test.each(['paused', 'archived'] as const)(
  'an effect whose contact was taken before its automation was %s does not begin',
  async (status) => {
    const automationId = await s.published(sequence(onSubscription(audienceId), [adjustScore(1)]))
    await commits.hold(claims)
    await s.subscribe(await s.contact(), audienceId)
    await commits.reached()
    const { due_at: since } = (await positionOf(automationId))!
    if (status === 'paused') await s.automations.pauseAutomation(s.us, { automationId })
    else await s.automations.archiveAutomation(s.us, { automationId })
    s.stage.clock.advance(1_000)
    await commits.release(claims)
    await putBack(automationId, since)
    await s.held(automationId, 1)
    if (status === 'archived') return s.stage.clock.release()
    await s.automations.publishAutomation(s.us, { automationId })
    await s.completed(automationId, 1)
    expect((await s.steps(automationId)).map(({ outcome }) => outcome)).toEqual(['applied', 'completed'])
    s.stage.clock.release()
  },
)

test('a trigger that fires when the gate is open again enrols, also in a worker that has not heard of it', async () => {
  const automationId = await s.published(sequence(onSubscription(audienceId), [adjustScore(1)]))
  await setGate(false)
  await s.setGate(true)
  await s.subscribe(await s.contact(), audienceId)
  await s.completed(automationId, 1)
})

/** Publishes an automation that sends an email, and resolves when its only contact was read. The answer is kept. */
async function readForEmail() {
  const [contentVersionId, senderIdentityId] = [await s.content(), await s.sender()]
  const email = { content_version_id: contentVersionId, sender_identity_id: senderIdentityId }
  const automationId = await s.published(sequence(onSubscription(audienceId), [{ type: 'send_email', config: email }]))
  const contactId = await s.contact()
  contacts.keep()
  await s.subscribe(contactId, audienceId)
  await until(() => contacts.hasKept(), { what: 'an answer about the contact' })
  const { due_at: since } = (await positionOf(automationId))!
  return { automationId, since }
}

/** Resolves when an email was asked for, which no delivery worker answers, and ends the attempts, so that later tests keep no answer of them. */
async function askedFor(automationId: string) {
  await until(async () => (await positionOf(automationId))?.waiting_reason === 'delivery_unavailable')
  await s.automations.archiveAutomation(s.us, { automationId })
  s.stage.clock.release()
}

test('an email is not asked for when the gate closes while the contact is read', async () => {
  const { automationId, since } = await readForEmail()
  await setGate(false)
  s.stage.clock.advance(1_000)
  contacts.restore()
  await putBack(automationId, since)
  await setGate(true)
  await askedFor(automationId)
})

test.each(['paused', 'archived'] as const)(
  'an email is not asked for when its automation is %s while the contact is read',
  async (status) => {
    const { automationId, since } = await readForEmail()
    if (status === 'paused') await s.automations.pauseAutomation(s.us, { automationId })
    else await s.automations.archiveAutomation(s.us, { automationId })
    s.stage.clock.advance(1_000)
    contacts.restore()
    await putBack(automationId, since)
    await until(
      async () =>
        (await s.stage.query('select from automations.held_enrollments where automation_id = $1', [automationId]))
          .length === 1,
      { what: 'a contact who is set aside' },
    )
    if (status === 'archived') return s.stage.clock.release()
    await s.automations.publishAutomation(s.us, { automationId })
    await askedFor(automationId)
  },
)
