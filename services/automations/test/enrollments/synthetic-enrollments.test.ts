// Over 300 lines because a second file would start the same services again.
import { fromBinary } from '@bufbuild/protobuf'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openAutomationEmails, type AutomationStage } from '@lettergate/campaigns-delivery/test/automation-stage'
import { Automations } from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import pg from 'pg'
import { newId } from '@lettergate/database'
import type { Fault } from '@lettergate/fault'
import type { Client } from '@lettergate/rpc'
import { until } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import { schema } from '../../src/db/migrations.ts'
import { start } from '../../src/service.ts'
import { addTag, adjustScore, onSubscription, sequence, wait } from '../engine/definitions.ts'

const rehearsal = 'rehearsal-1'

let rig: AutomationStage
let automations: Client<typeof Automations>
beforeAll(async () => {
  rig = await openAutomationEmails({ schemas: [schema] })
  const env = {
    CONTACTS_CONSENT_TARGET: rig.env.CONTACTS_CONSENT_TARGET,
    CAMPAIGNS_DELIVERY_TARGET: rig.apiTarget,
    CAMPAIGNS_WORKER_TARGET: `127.0.0.1:${rig.workerApp.rpcPort}`,
    IDENTITY_TARGET: rig.env.IDENTITY_TARGET,
  }
  const app = await rig.stage.boot('automations', start, loadConfig, env)
  await rig.stage.boot('automations', start, loadConfig, { ...env, ROLE: 'worker' })
  automations = await rig.stage.client(Automations, app.rpcPort!)
  await rehearsalWorkspace()
})
afterAll(() => rig.close())

const setWorkspace = (slug: string, isArchived: boolean) =>
  rig.stage.query('update identity.workspaces set slug = $2, is_archived = $3 where id = $1', [
    rig.workspaceId,
    slug,
    isArchived,
  ])
const rehearsalWorkspace = () => setWorkspace('synthetic-news', true)

interface Made {
  automationId: string
  versionId: string
}

/** Stores a published automation with one version. Its content and sender are known to exist, so no other service is asked. */
async function made(definition: Record<string, unknown>, workspaceId = rig.workspaceId): Promise<Made> {
  const [automationId, versionId] = [newId(), newId()]
  await rig.stage.query(
    `insert into automations.automations (workspace_id, id, name, slug, current_version) values ($1, $2, 'A', $3, 1)`,
    [workspaceId, automationId, `s-${automationId}`],
  )
  await rig.stage.query(
    `insert into automations.automation_versions (workspace_id, id, automation_id, version, trigger_type, definition, definition_checksum,
                                                  validation, preview, created_by_wallet_id)
     values ($1, $2, $3, 1, $4, $5, repeat('0', 64), '{}', '{}', 'u')`,
    [workspaceId, versionId, automationId, (definition.trigger as { type: string }).type, JSON.stringify(definition)],
  )
  await publish({ automationId, versionId })
  return { automationId, versionId }
}
const manual = { type: 'manual', config: {} }
const setStatus = ({ automationId }: Made, status: string) =>
  rig.stage.query(
    `update automations.automations set status = $2, review_ready_version = 1, review_ready_by_wallet_id = 'u', review_ready_at = now()
      where id = $1`,
    [automationId, status],
  )
const publish = ({ automationId, versionId }: Made, audienceId: string | null = null) =>
  rig.stage.query(
    `update automations.automations set status = 'published', published_version_id = $2, published_by_wallet_id = 'u', published_at = now(),
            trigger_type = case when $3::uuid is null then 'manual' else 'audience_subscribed' end, trigger_subject_id = $3 where id = $1`,
    [automationId, versionId, audienceId],
  )
async function contact(email: string, context: string | null = rehearsal, audienceId?: string) {
  const sourceMetadata: Record<string, string> = context === null ? {} : { synthetic_context_id: context }
  const { contact: upserted } = await rig.contacts.upsertContact(rig.us, { email, source: 'test', sourceMetadata })
  if (audienceId !== undefined)
    await rig.contacts.subscribeContact(rig.us, {
      contactId: upserted!.id,
      audienceId,
      source: 'form',
      wordingVersion: 'v1',
    })
  return upserted!.id
}
const synthetic = () => contact(`c${newId()}@rehearsal.invalid`)

const enroll = async (
  of: Made,
  contactId: string,
  more: { idempotencyKey?: string; syntheticContextId?: string } = {},
) =>
  (
    await automations.createSyntheticEnrollment(rig.us, {
      ...of,
      contactId,
      syntheticContextId: rehearsal,
      idempotencyKey: newId(),
      ...more,
    })
  ).enrollment!
const read = async (enrollmentId: string) => (await automations.getEnrollment(rig.us, { enrollmentId })).enrollment!
const completed = (id: string) =>
  until(async () => (await read(id)).state === 'completed', { what: 'a completed enrollment' })
/** Ends the waits of all contacts in an automation, once there are two. Answers how many waited. */
const endWaits = async ({ automationId }: Made) =>
  (
    await rig.stage.query(
      `with ended as (
         update automations.enrollment_positions set due_at = now(), wait_until = now()
          where automation_id = $1 and state = 'waiting'
            and (select count(*) from automations.enrollment_positions where automation_id = $1 and state = 'waiting') = 2
         returning workspace_id, due_at, enrollment_id)
       insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select * from ended returning 1`,
      [automationId],
    )
  ).length
const count = async (table: string) =>
  (await rig.stage.query<{ count: number }>(`select count(*)::int as count from ${table}`))[0]!.count

test('a synthetic enrollment moves through the real engine and makes no call to the provider and no webhook, even where sending is possible', async () => {
  const audienceId = await rig.audience()
  const email = {
    type: 'send_email',
    config: { content_version_id: rig.contentVersionId, sender_identity_id: rig.senderId },
  }
  const of = await made(sequence(onSubscription(audienceId), [wait(3_600), email, adjustScore(7), email]))
  const contactId = await contact(`year.${newId()}@rehearsal.invalid`, rehearsal, audienceId)
  const { id } = await enroll(of, contactId)

  // From here on this workspace may send: a real contact in the same automation gets both emails.
  await setWorkspace('news', false)
  await rig.setWorkspace({})
  const before = await rig.calls()
  const webhooks = await count('campaigns.campaign_webhook_deliveries')
  await publish(of, audienceId)
  const real = await rig.subscriber(audienceId, 'real@example.org', 'Ada')
  await until(async () => (await endWaits(of)) === 2, { what: 'two contacts who wait' })
  await until(async () => (await rig.calls()) === before + 2, { what: 'both emails of the real contact' })
  await completed(id)

  const enrollment = await read(id)
  expect(enrollment).toMatchObject({ synthetic: true, providerCalls: 0, webhookCalls: 0 })
  expect(enrollment.steps.map(({ nodeType, outcome, messageId }) => [nodeType, outcome, messageId])).toEqual([
    ['wait_duration', 'waited', undefined],
    ['send_email', 'simulated', undefined],
    ['adjust_score', 'applied', undefined],
    ['send_email', 'simulated', undefined],
    ['end', 'completed', undefined],
  ])
  expect(await rig.calls()).toBe(before + 2)
  expect((await rig.messages()).filter(({ to }) => to.endsWith('.invalid'))).toEqual([])
  expect(await rig.stage.query('select distinct contact_id from campaigns.automation_emails')).toEqual([
    { contact_id: real },
  ])
  expect(await count('campaigns.campaign_webhook_deliveries')).toBe(webhooks)
  const [{ score } = { score: 0 }] = await rig.stage.query<{ score: number }>(
    'select score from contacts.contacts where id = $1',
    [contactId],
  )
  expect(score).toBe(7)
  await rehearsalWorkspace()
})

test('writing, reviewing and publishing an automation with emails makes no call to the provider and no webhook', async () => {
  const allCalls = async () => ((await rig.sim('GET', '/stats')) as unknown as { calls: number }).calls
  const [calls, webhooks] = [await allCalls(), await count('campaigns.campaign_webhook_deliveries')]
  const email = {
    type: 'send_email',
    config: { content_version_id: rig.contentVersionId, sender_identity_id: rig.senderId },
  }
  const definition = sequence(onSubscription(await rig.audience()), [email, wait(60), email]) as never
  const { automation } = await automations.createAutomation(rig.us, { name: 'A', slug: `a-${newId()}`, definition })
  const automationId = automation!.id
  const { automation: appended } = await automations.createAutomationVersion(rig.us, { automationId, definition })
  const { id: versionId, definitionChecksum } = appended!.selectedVersion!
  expect(appended!.selectedVersion!.validation).toMatchObject({ valid: true })
  await automations.markAutomationReadyForReview(rig.us, { automationId, versionId, definitionChecksum })
  const published = await automations.publishAutomation(rig.us, { automationId })
  expect(published.automation!.status).toBe('published')
  for (const act of ['pauseAutomation', 'archiveAutomation', 'restoreAutomation'] as const)
    await automations[act](rig.us, { automationId })
  await automations.getAutomation(rig.us, { automationId })
  await automations.listAutomations(rig.us, {})
  expect([await allCalls(), await count('campaigns.campaign_webhook_deliveries')]).toEqual([calls, webhooks])
})

test('an enrollment begins at the start node, and is in the audit log', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const contactId = await synthetic()
  const enrollment = await enroll(of, contactId)
  expect(enrollment).toMatchObject({
    automationId: of.automationId,
    automationVersionId: of.versionId,
    state: 'active',
    synthetic: true,
    currentNodeKey: '1-wait_duration',
    events: [{ event: 'enrolled', contactId, triggerType: 'manual' }],
    steps: [{ number: 1, nodeKey: '1-wait_duration', nodeType: 'wait_duration', reasons: [] }],
  })
  const audits = await rig.stage.query<{ payload: Buffer }>(
    `select payload from automations.outbox where event = 'audit_recorded'`,
  )
  const records = audits.map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
  expect(records.filter(({ subjectId }) => subjectId === enrollment.id)).toMatchObject([
    {
      action: 'enrollment_created',
      subjectType: 'enrollment',
      actor: 'tester',
      detail: {
        automation_id: of.automationId,
        version: 1,
        contact_id: contactId,
        synthetic: true,
        synthetic_context_id: rehearsal,
      },
    },
  ])
})

test('a repeated key answers the original, also for requests at the same time, and is a conflict for any other request', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const [contactId, other] = [await synthetic(), await synthetic()]
  const idempotencyKey = newId()
  const answers = await Promise.all(Array.from({ length: 4 }, () => enroll(of, contactId, { idempotencyKey })))
  const ids = new Set(answers.map(({ id }) => id))
  expect(ids.size).toBe(1)
  await setStatus(of, 'archived')
  expect([...ids]).toEqual([(await enroll(of, contactId, { idempotencyKey })).id])
  const taken = { code: 'conflict', reason: 'idempotency_key' }
  await expect(enroll(of, other, { idempotencyKey })).rejects.toMatchObject(taken)
  await expect(enroll(of, contactId, { idempotencyKey, syntheticContextId: 'b' })).rejects.toMatchObject(taken)
  const another = await made(sequence(manual, [wait(60)]))
  await expect(enroll(another, contactId, { idempotencyKey })).rejects.toMatchObject(taken)
})

test('a request that another one with the same key overtakes answers its enrollment', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const contactId = await synthetic()
  const [idempotencyKey, first] = [newId(), newId()]
  const holder = new pg.Client({ connectionString: rig.stage.adminUrl, options: '-c app.system=test' })
  await holder.connect()
  try {
    await holder.query('begin; lock table automations.enrollment_positions in access exclusive mode')
    const overtaken = enroll(of, contactId, { idempotencyKey })
    const waiting = `select from pg_stat_activity
                      where datname = current_database() and wait_event_type = 'Lock' and query like '%"enrollment_positions"%"contact_id" =%'`
    await until(async () => (await rig.stage.query(waiting)).length > 0, {
      what: 'the request to look for the contact',
    })
    await holder.query(
      `insert into automations.enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, synthetic_context_id, idempotency_key,
                                            correlation_id, trace, enrolled_at)
       values ($1, $2, $3, $4, $5, 'manual', $6, $7, 'c', '{}', now())`,
      [rig.workspaceId, first, of.automationId, of.versionId, contactId, rehearsal, idempotencyKey],
    )
    await holder.query(
      `insert into automations.enrollment_positions (workspace_id, enrollment_id, automation_id, contact_id, state, node_key, step_id, step_number, due_at,
                                                     arrived_at)
       values ($1, $2, $3, $4, 'active', '1-wait_duration', gen_random_uuid(), 1, now(), now())`,
      [rig.workspaceId, first, of.automationId, contactId],
    )
    await holder.query('commit')
    expect((await overtaken).id).toBe(first)
  } finally {
    await holder.end()
  }
})

test('a contact is in an automation once at a time', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const contactId = await synthetic()
  await enroll(of, contactId)
  await expect(enroll(of, contactId)).rejects.toMatchObject({ code: 'conflict', reason: 'contact_enrolled' })
})

test('only a contact under .invalid that is bound to the same rehearsal is enrolled', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const refused = { code: 'failed_precondition', reason: 'contact_not_synthetic' }
  for (const [email, context, why] of [
    ['real@person.example', rehearsal, 'does not end in .invalid'],
    ['a@rehearsal.invalid.example', rehearsal, 'does not end in .invalid'],
    ['plain@rehearsal.invalid', null, 'not bound to a rehearsal'],
    ['other@rehearsal.invalid', 'rehearsal-2', 'another rehearsal'],
  ] as const) {
    const message = expect.stringContaining(why)
    await expect(enroll(of, await contact(email, context))).rejects.toMatchObject({ ...refused, message })
  }
  const unknown = { code: 'invalid_argument', reason: 'contact_id' }
  await expect(enroll(of, newId())).rejects.toMatchObject(unknown)
  await expect(enroll(of, 'no-id')).rejects.toMatchObject(unknown)
  expect(
    await rig.stage.query('select from automations.enrollments where automation_id = $1', [of.automationId]),
  ).toEqual([])
})

test('only an archived workspace whose slug marks it as synthetic accepts a synthetic enrollment', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const contactId = await synthetic()
  for (const [slug, isArchived] of [
    ['synthetic-news', false],
    ['news', true],
    ['synthetic', true],
    ['news-synthetic-lab', true],
  ] as const) {
    await setWorkspace(slug, isArchived)
    await expect(enroll(of, contactId)).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'workspace_not_synthetic',
    })
  }
  await rehearsalWorkspace()
  await enroll(of, contactId)
})

test('while the switch is off nobody is enrolled, and nobody in an automation that is not published', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const contactId = await synthetic()
  await rig.setGate(false, 'automation_enabled')
  await expect(enroll(of, contactId)).rejects.toMatchObject({ code: 'conflict', reason: 'automation_enabled' })
  await rig.setGate(true, 'automation_enabled')
  const refused = { code: 'failed_precondition', reason: 'automation_status' }
  for (const status of ['draft', 'ready_for_review', 'paused', 'archived']) {
    await setStatus(of, status)
    await expect(enroll(of, contactId)).rejects.toMatchObject(refused)
  }
  await expect(runVirtual(of, contactId)).rejects.toMatchObject(refused)
  await setStatus(of, 'draft')
  expect((await runVirtual(of, contactId)).state).toBe('completed')
  expect(
    await rig.stage.query('select from automations.enrollment_positions where contact_id = $1', [contactId]),
  ).toEqual([])
})

test('of several refusals the request comes first, then what is not there, a conflict, and the conditions', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const contactId = await synthetic()
  await enroll(of, contactId)
  const refused = async (given: Made, person: string, more: { syntheticContextId?: string } = {}) =>
    enroll(given, person, more).catch((error: Fault) => `${error.code} ${error.reason}`)
  const unknown = { automationId: of.automationId, versionId: 'no-id' }
  expect(await refused(unknown, 'no-id')).toBe('invalid_argument contact_id')
  expect(await refused(unknown, contactId, { syntheticContextId: ' ' })).toBe('invalid_argument synthetic_context_id')
  await setWorkspace('news', false)
  await rig.setGate(false, 'automation_enabled')
  expect(await refused(unknown, contactId)).toBe('not_found automation_version')
  expect(await refused(of, contactId)).toBe('conflict automation_enabled')
  await rig.setGate(true, 'automation_enabled')
  expect(await refused(of, contactId)).toBe('conflict contact_enrolled')
  await setStatus(of, 'paused')
  expect(await refused(of, contactId)).toBe('conflict contact_enrolled')
  expect(await refused(of, await synthetic())).toBe('failed_precondition workspace_not_synthetic')
  await rehearsalWorkspace()
  expect(await refused(of, newId())).toBe('invalid_argument contact_id')
})

test('a contact that was erased is not enrolled', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const contactId = await synthetic()
  await rig.stage.query('insert into automations.erased_contacts (workspace_id, contact_id) values ($1, $2)', [
    rig.workspaceId,
    contactId,
  ])
  const refused = { code: 'conflict', reason: 'contact_missing' }
  await expect(enroll(of, contactId)).rejects.toMatchObject(refused)
  await expect(runVirtual(of, contactId)).rejects.toMatchObject(refused)
})

test('a decision and the effects of a virtual run follow the id of a merged tag', async () => {
  const names = ['stays', 'goes'].map((name) => `${name} ${newId().slice(-8)}`)
  const [stays, goes] = await Promise.all(
    names.map(async (name) => (await rig.contacts.registerTag(rig.us, { name })).tag!),
  )
  await rig.contacts.mergeTag(rig.us, { tagId: goes!.id, into: stays!.id })
  const hasGone = { tag: goes!.id.toUpperCase(), operator: 'exists' }
  const of = await made({
    trigger: manual,
    start_node: 'add',
    nodes: [
      { key: 'add', type: 'add_tag', config: { tag: goes!.id } },
      { key: 'has', type: 'decision', config: {} },
      { key: 'remove', type: 'remove_tag', config: { tag: goes!.id } },
      { key: 'still', type: 'decision', config: {} },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      { from: 'add', to: 'has', branch: 'default' },
      { from: 'has', to: 'remove', branch: 'yes', condition: hasGone },
      { from: 'has', to: 'end', branch: 'default' },
      { from: 'remove', to: 'still', branch: 'default' },
      { from: 'still', to: 'end', branch: 'yes', condition: hasGone },
      { from: 'still', to: 'end', branch: 'default' },
    ],
  })
  const { steps } = await runVirtual(of, await synthetic())
  expect(steps.map(({ nodeKey, branch }) => [nodeKey, branch])).toEqual([
    ['add', undefined],
    ['has', 'yes'],
    ['remove', undefined],
    ['still', 'default'],
    ['end', undefined],
  ])
})

test('automations and contacts of another workspace look like missing ones', async () => {
  const theirs = newId()
  const missing = { code: 'not_found', reason: 'automation_version' }
  const contactId = await synthetic()
  const foreign = await made(sequence(manual, [wait(60)]), theirs)
  const [of, another] = [await made(sequence(manual, [wait(60)])), await made(sequence(manual, [wait(60)]))]
  for (const wrong of [
    foreign,
    { ...of, versionId: another.versionId },
    { ...of, versionId: foreign.versionId },
    { ...of, versionId: 'no-id' },
    { ...of, automationId: newId() },
  ])
    await expect(enroll(wrong, contactId)).rejects.toMatchObject(missing)
  const foreignContact = newId()
  await rig.stage.query(
    `insert into contacts.contacts (workspace_id, id, email, normalized_email) values ($1, $2, 'a@b.invalid', 'a@b.invalid')`,
    [theirs, foreignContact],
  )
  await expect(enroll(of, foreignContact)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'contact_id' })
})

const startsAt = timestampFromDate(new Date('2027-01-01T09:00:00Z'))
const runVirtual = async (of: Made, contactId: string, more: object = {}) =>
  (
    await automations.runSyntheticEnrollment(rig.us, {
      ...of,
      contactId,
      syntheticContextId: rehearsal,
      idempotencyKey: newId(),
      startsAt,
      ...more,
    })
  ).enrollment!
const withoutId = (one: Awaited<ReturnType<typeof read>>) => ({ ...one, id: '' })

test('a year runs at once with a virtual clock, the same each time, and changes nothing but its enrollment', async () => {
  const name = `year ${newId().slice(-6)}`
  await rig.contacts.registerTag(rig.us, { name })
  const email = {
    type: 'send_email',
    config: { content_version_id: rig.contentVersionId, sender_identity_id: rig.senderId },
  }
  const months = Array.from({ length: 12 }, () => [email, adjustScore(1), wait(30 * 86_400)]).flat()
  const of = await made(sequence(manual, [addTag(name), ...months]))
  const contactId = await synthetic()
  const facts = async () =>
    (await rig.contacts.describeAutomationContacts(rig.us, { contactIds: [contactId] })).contacts
  const [before, calls] = [await facts(), await rig.calls()]

  const idempotencyKey = newId()
  const first = await runVirtual(of, contactId, { idempotencyKey })
  expect(first).toMatchObject({ state: 'completed', synthetic: true, providerCalls: 0, webhookCalls: 0 })
  expect(first.steps).toHaveLength(38)
  expect(first.steps.slice(0, 4).map(({ nodeType, outcome }) => [nodeType, outcome])).toEqual([
    ['add_tag', 'simulated'],
    ['send_email', 'simulated'],
    ['adjust_score', 'simulated'],
    ['wait_duration', 'waited'],
  ])
  expect(first.events.map(({ event, reason, at }) => [event, reason, timestampDate(at!).toISOString()])).toEqual([
    ['enrolled', 'virtual_clock', '2027-01-01T09:00:00.000Z'],
    ['completed', undefined, '2027-12-27T09:00:00.000Z'],
  ])
  expect(withoutId(await runVirtual(of, contactId))).toEqual(withoutId(first))
  expect(await runVirtual(of, contactId, { idempotencyKey })).toEqual(first)
  expect(await read(first.id)).toEqual(first)

  expect(await facts()).toEqual(before)
  expect(await rig.calls()).toBe(calls)
  const own = [of.automationId]
  for (const table of ['enrollment_positions', 'held_enrollments'])
    expect(await rig.stage.query(`select from automations.${table} where automation_id = $1`, own)).toEqual([])
  const { counts } = await automations.getAutomationVersionCounts(rig.us, of)
  expect(counts).toMatchObject({ active: 0, waiting: 0, completed: 2 })
  expect(counts!.nodes.find(({ nodeType }) => nodeType === 'add_tag')!.passed).toBe(2)
})

test('a virtual run has keys of its own, and the same refusals as a synthetic enrollment', async () => {
  const of = await made(sequence(manual, [wait(60)]))
  const contactId = await synthetic()
  const idempotencyKey = newId()
  const workers = await enroll(of, contactId, { idempotencyKey })
  const answers = await Promise.all(Array.from({ length: 4 }, () => runVirtual(of, contactId, { idempotencyKey })))
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  expect(answers[0]!.id).not.toBe(workers.id)
  const later = { idempotencyKey, startsAt: timestampFromDate(new Date('2027-01-02T09:00:00Z')) }
  await expect(runVirtual(of, contactId, later)).rejects.toMatchObject({ code: 'conflict', reason: 'idempotency_key' })

  const person = await contact(`p${newId()}@person.example`)
  await expect(runVirtual(of, person)).rejects.toMatchObject({ reason: 'contact_not_synthetic' })
  for (const wrong of [undefined, '1999-12-31T23:59:59Z', '2100-01-01T00:00:00Z'])
    await expect(
      runVirtual(of, contactId, { startsAt: wrong === undefined ? undefined : timestampFromDate(new Date(wrong)) }),
    ).rejects.toMatchObject({ code: 'invalid_argument', reason: 'starts_at' })
  await expect(runVirtual({ ...of, versionId: newId() }, contactId)).rejects.toMatchObject({ code: 'not_found' })
  await setWorkspace('news', true)
  await expect(runVirtual(of, contactId)).rejects.toMatchObject({ reason: 'workspace_not_synthetic' })
  await rehearsalWorkspace()
})

test('a virtual run that failed is not replayed by workers', async () => {
  const of = await made(sequence(manual, [addTag('no such tag')]))
  const { id, state, steps, events } = await runVirtual(of, await synthetic())
  expect([state, steps.map(({ outcome, reasons }) => [outcome, reasons])]).toEqual([
    'failed',
    [['failed', ['tag_missing']]],
  ])
  expect(events.at(-1)).toMatchObject({ event: 'failed', actor: 'system', reason: 'tag_missing' })
  const replay = automations.controlEnrollment(rig.us, { enrollmentId: id, action: 'replay' })
  await expect(replay).rejects.toMatchObject({ code: 'conflict', reason: 'virtual_clock' })
})
