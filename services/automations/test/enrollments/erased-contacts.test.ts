// This file has over 300 lines because its tests share one started service.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import {
  AudienceSubscribedSchema,
  ContactErasedSchema,
  PersonalDataErasedSchema,
} from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import pg from 'pg'
import { sequence, wait } from '../engine/definitions.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'

let s: RuntimeStage
beforeAll(async () => {
  s = await openRuntime()
})
afterAll(() => s.close())

/** Everybody waits for a day at the first node. */
const subscribed = (audienceId: string) =>
  sequence({ type: 'audience_subscribed', config: { audience_id: audienceId } }, [wait(86_400)])

/** The contacts in an automation, once there are this many. */
const contactsIn = (automationId: string, count: number) =>
  until(async () => {
    const found = await s.enrollments(automationId)
    return found.length >= count && found.map((row) => row.contact_id)
  })

test('the enrollments of an erased contact are cancelled, and nothing is due for it', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const [erased, other] = [await s.contact(), await s.contact()]
  await s.subscribe(erased, audienceId)
  await s.subscribe(other, audienceId)
  await contactsIn(automationId, 2)
  const { workspaceId } = s.us.caller as { workspaceId: string }
  for (let times = 0; times < 2; times += 1)
    await s.stage.publish(
      'contacts-consent',
      ContactErasedSchema,
      { erasureId: newId(), contactId: erased },
      { workspaceId },
    )
  const enrollment = await until(async () =>
    (await s.enrollments(automationId)).find((one) => one.contact_id === erased && one.state === 'cancelled'),
  )
  const events = await s.stage.query(
    'select event, actor, reason from automations.enrollment_events where enrollment_id = $1',
    [enrollment.id],
  )
  expect(events).toEqual([{ event: 'cancelled', actor: 'system', reason: 'contact_erased' }])
  expect(
    await s.stage.query('select from automations.due_enrollments where enrollment_id = $1', [enrollment.id]),
  ).toEqual([])
  expect((await s.enrollments(automationId)).find((one) => one.contact_id === other)!.state).not.toBe('cancelled')
})

/** The tables of automations in which a text is. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await s.stage.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'automations'::regnamespace and relkind in ('r', 'p')`,
  )
  expect(tables.length).toBeGreaterThan(10)
  const found = await Promise.all(
    tables.map(({ name }) =>
      s.stage.query(`select from automations.${name} t where position($1 in t::text) > 0`, [text]),
    ),
  )
  return tables.flatMap(({ name }, index) => (found[index]!.length > 0 ? [name] : []))
}

test('an erasure removes the reasons that users wrote, those of ended enrollments too, and later ones are not stored', async () => {
  const sentinel = 'Xanthippea called'
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const [erased, other] = [await s.contact(), await s.contact()]
  const control = async (contactId: string, action: string, reason: string) => {
    const { id } = (await s.enrollments(automationId)).findLast((one) => one.contact_id === contactId)!
    await s.automations.controlEnrollment(s.us, { enrollmentId: id, action, reason })
    return id
  }
  await s.subscribe(erased, audienceId)
  await s.subscribe(other, audienceId)
  await contactsIn(automationId, 2)
  await control(erased, 'cancel', sentinel)
  await s.subscribe(erased, audienceId)
  await contactsIn(automationId, 3)
  const second = await control(erased, 'pause', `${sentinel} again`)
  await control(other, 'pause', 'a colleague asked')
  expect(await tablesWith(sentinel)).toEqual(['enrollment_events'])

  const erasureId = newId()
  const { workspaceId } = s.us.caller as { workspaceId: string }
  await s.stage.publish('contacts-consent', ContactErasedSchema, { erasureId, contactId: erased }, { workspaceId })
  const report = await until(async () => {
    const sent = await s.stage.query<{ payload: Buffer }>(
      `select payload from automations.outbox where event = 'personal_data_erased'`,
    )
    return sent
      .map(({ payload }) => fromBinary(PersonalDataErasedSchema, payload))
      .find((one) => one.erasureId === erasureId)
  })
  expect(report).toMatchObject({
    service: 'automations',
    part: 1,
    parts: 1,
    removed: { enrollment_reasons: 2, compared_values: 0 },
  })
  // A failed enrollment can be controlled later.
  await s.stage.query(`update automations.enrollments set end_state = 'failed' where id = $1`, [second])
  await s.automations.controlEnrollment(s.us, { enrollmentId: second, action: 'cancel', reason: sentinel })
  expect(await tablesWith(sentinel)).toEqual([])
  expect(await tablesWith('a colleague asked')).toEqual(['enrollment_events'])
  const events = await s.stage.query(
    'select event, reason from automations.enrollment_events where enrollment_id = $1 order by at',
    [second],
  )
  expect(events).toEqual([
    { event: 'paused', reason: null },
    { event: 'cancelled', reason: 'contact_erased' },
    { event: 'cancelled', reason: null },
  ])
})

test('an erasure removes the values that decisions compared, and leaves the branch', async () => {
  const sentinel = 'Aspasia'
  const audienceId = await s.audience()
  const definition = {
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
    start_node: 'which',
    nodes: [
      { key: 'which', type: 'decision', config: {} },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      { from: 'which', to: 'end', branch: 'named', condition: { field: 'first_name', operator: 'exists' } },
      { from: 'which', to: 'end', branch: 'default' },
    ],
  }
  const automationId = await s.published(definition)
  const contactId = await s.contact(s.us, { firstName: sentinel })
  await s.subscribe(contactId, audienceId)
  await s.completed(automationId, 1)
  expect(await tablesWith(sentinel)).toEqual(['enrollment_steps'])
  const { workspaceId } = s.us.caller as { workspaceId: string }
  const [row] = await s.enrollments(automationId)
  const changed = (column: string) =>
    s.stage.query(`update automations.enrollment_steps set ${column} where enrollment_id = $1`, [row!.id])
  await expect(changed(`compared = '[]'`)).rejects.toThrow('never changed')
  await expect(changed('branch = null')).rejects.toThrow('never changed')
  await s.stage.publish('contacts-consent', ContactErasedSchema, { erasureId: newId(), contactId }, { workspaceId })
  await until(async () => (await tablesWith(sentinel)).length === 0, { what: 'the values to be removed' })
  expect((await s.steps(automationId)).map(({ branch }) => branch)).toEqual(['named', null])
})

test('the enrollments of a deleted contact are cancelled, the reasons of users are removed, and a late trigger enrols nobody', async () => {
  const sentinel = 'Timandra wrote'
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const [deleted, other] = [await s.contact(), await s.contact()]
  for (const contactId of [deleted, other]) await s.subscribe(contactId, audienceId)
  await contactsIn(automationId, 2)
  const { id } = (await s.enrollments(automationId)).find((one) => one.contact_id === deleted)!
  await s.automations.controlEnrollment(s.us, { enrollmentId: id, action: 'pause', reason: sentinel })
  await s.contacts.deleteContact(s.us, { contactId: deleted })
  await until(async () => (await s.enrollments(automationId)).find((one) => one.id === id)!.state === 'cancelled')
  expect(await tablesWith(sentinel)).toEqual([])
  const { enrollment } = await s.automations.getEnrollment(s.us, { enrollmentId: id })
  expect(enrollment!.events.map(({ event, actor, reason }) => [event, actor, reason])).toEqual([
    ['enrolled', undefined, undefined],
    ['paused', 'tester', undefined],
    ['cancelled', 'system', 'contact_deleted'],
  ])
  const { workspaceId } = s.us.caller as { workspaceId: string }
  const late = { contactId: deleted, audienceId }
  await s.stage.publish('contacts-consent', AudienceSubscribedSchema, late, { workspaceId })
  const last = await s.contact()
  await s.subscribe(last, audienceId)
  const contacts = await contactsIn(automationId, 3)
  expect(contacts.toSorted()).toEqual([deleted, other, last].toSorted())
})

test('an email that may be sent is in the timeline of an enrollment that an erasure ends', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const contactId = await s.contact()
  await s.subscribe(contactId, audienceId)
  await contactsIn(automationId, 1)
  const [{ step_id } = { step_id: '' }] = await s.stage.query<{ step_id: string }>(
    `update automations.enrollment_positions set waiting_reason = 'under_way' where automation_id = $1 returning step_id`,
    [automationId],
  )
  const { workspaceId } = s.us.caller as { workspaceId: string }
  await s.stage.publish('contacts-consent', ContactErasedSchema, { erasureId: newId(), contactId }, { workspaceId })
  await s.inState(automationId, 'cancelled')
  const steps = await s.stage.query(
    `select outcome, reasons, message_id from automations.enrollment_steps where step_id = $1`,
    [step_id],
  )
  expect(steps).toEqual([{ outcome: 'unknown', reasons: ['under_way'], message_id: step_id }])
})

test('a trigger that arrives after the erasure of its contact enrols nobody', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const { workspaceId } = s.us.caller as { workspaceId: string }
  const [erased, other] = [newId(), newId()]
  await s.stage.publish(
    'contacts-consent',
    ContactErasedSchema,
    { erasureId: newId(), contactId: erased },
    { workspaceId },
  )
  await until(
    async () =>
      (await s.stage.query('select from automations.erased_contacts where contact_id = $1', [erased])).length > 0,
  )
  for (const contactId of [erased, other])
    await s.stage.publish('contacts-consent', AudienceSubscribedSchema, { contactId, audienceId }, { workspaceId })
  // Events of one kind are handled in their order.
  await contactsIn(automationId, 1)
  expect((await s.enrollments(automationId)).map((one) => one.contact_id)).toEqual([other])
})

test('an erasure waits for a trigger that is enrolling, and then cancels what it enrolled', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const { workspaceId } = s.us.caller as { workspaceId: string }
  const contactId = newId()
  const blocker = new pg.Client(s.stage.adminUrl)
  await blocker.connect()
  const isWaiting = (locked: string) =>
    until(
      async () =>
        (
          await s.stage.query(
            `select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
            [`%${locked}%`],
          )
        ).length > 0,
      { what: `a session that waits in ${locked}` },
    )
  try {
    await blocker.query('begin')
    await blocker.query(
      `insert into automations.enrollment_positions (workspace_id, enrollment_id, automation_id, contact_id, state, node_key, step_id,
                                                     step_number, due_at, arrived_at)
       values ($1, gen_random_uuid(), $2, $3, 'active', 'wait', gen_random_uuid(), 1, now(), now())`,
      [workspaceId, automationId, contactId],
    )
    await s.stage.publish('contacts-consent', AudienceSubscribedSchema, { contactId, audienceId }, { workspaceId })
    await isWaiting('into enrollment_positions')
    await s.stage.publish('contacts-consent', ContactErasedSchema, { erasureId: newId(), contactId }, { workspaceId })
    await isWaiting('pg_advisory_xact_lock(')
    await blocker.query('rollback')
  } finally {
    await blocker.end()
  }
  await until(async () => (await s.enrollments(automationId))[0]?.state === 'cancelled')
})

test('an erasure that waits for a worker also deletes the work that this worker inserts', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const contactId = await s.contact()
  await s.subscribe(contactId, audienceId)
  await contactsIn(automationId, 1)
  const { enrollment_id: enrollmentId } = await until(async () => {
    const found = await s.stage.query<{ enrollment_id: string }>(
      `select enrollment_id from automations.enrollment_positions where contact_id = $1 and state = 'waiting'`,
      [contactId],
    )
    return found[0]
  })
  const mover = new pg.Client(s.stage.adminUrl)
  await mover.connect()
  try {
    await mover.query('begin')
    await mover.query('delete from automations.due_enrollments where enrollment_id = $1', [enrollmentId])
    await mover.query(
      `with moved as (
         update automations.enrollment_positions set due_at = due_at + interval '1 hour' where enrollment_id = $1
         returning workspace_id, due_at, enrollment_id)
       insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select * from moved`,
      [enrollmentId],
    )
    const { workspaceId } = s.us.caller as { workspaceId: string }
    await s.stage.publish('contacts-consent', ContactErasedSchema, { erasureId: newId(), contactId }, { workspaceId })
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%enrollment_positions%'`
    await until(async () => (await s.stage.query(waiting)).length > 0, { what: 'the erasure to wait for the worker' })
    await mover.query('commit')
  } finally {
    await mover.end()
  }
  await until(async () => (await s.enrollments(automationId))[0]!.state === 'cancelled')
  expect(
    await s.stage.query('select from automations.due_enrollments where enrollment_id = $1', [enrollmentId]),
  ).toEqual([])
})

test('an erasure does not wait for campaigns-delivery, which locks erasures of its own schema while it copies addresses', async () => {
  const { workspaceId } = s.us.caller as { workspaceId: string }
  const contactId = newId()
  const copying = new pg.Client(s.stage.adminUrl)
  await copying.connect()
  try {
    await copying.query('begin')
    await copying.query(`select pg_advisory_xact_lock_shared(hashtextextended('erased_contacts ' || $1::text, 0))`, [
      workspaceId,
    ])
    await s.stage.publish('contacts-consent', ContactErasedSchema, { erasureId: newId(), contactId }, { workspaceId })
    await until(
      async () =>
        (await s.stage.query('select from automations.erased_contacts where contact_id = $1', [contactId])).length > 0,
      { what: 'the erasure to be stored' },
    )
  } finally {
    await copying.end()
  }
})
