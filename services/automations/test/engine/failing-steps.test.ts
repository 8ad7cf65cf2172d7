import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { contexts, openDatabase } from '@lettergate/database'
import { createService } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/ctx.ts'
import { claimSet, recoverLostSets } from '../../src/engine/claim.ts'
import { entities } from '../../src/entities.ts'
import { start } from '../../src/service.ts'
import { adjustScore, onSubscription, sequence, wait } from './definitions.ts'
import { openEmailRuntime, type EmailRuntime } from './email-runtime.ts'

const people = 20
/** The one whose step fails, in the middle of a set. */
const failing = 7

let rig: EmailRuntime
let stops: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  rig = await openEmailRuntime()
})
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop()
  stops = []
})
afterAll(() => rig.close())

/** Makes every write about this contact to a table fail with an error that the service does not expect. */
async function breakWrites(table: string, column: string, contactId: string) {
  await rig.stage.query(
    `create function public.break_writes() returns trigger language plpgsql as $$ begin raise exception 'this row always fails'; end $$`,
  )
  await rig.stage.query(
    `create trigger break_writes before insert or update on ${table} for each row when (new.${column} = '${contactId}')
     execute function public.break_writes()`,
  )
  const repair = () => rig.stage.query('drop function if exists public.break_writes cascade')
  stops.push(repair)
  return repair
}

/** Contacts of an automation who become due together when the wait at its first node ends, and then a worker. */
async function dueTogether(nodes: Parameters<typeof sequence>[1]) {
  const audienceId = await rig.audience()
  const automationId = await rig.published(sequence(onSubscription(audienceId), [wait(3_600), ...nodes]), audienceId)
  const worker = await rig.stage.boot('automations', start, loadConfig, { ...rig.targets, ROLE: 'worker' })
  stops.push(() => worker.stop())
  const addresses = Array.from({ length: people }, (_, n) => `${automationId}.${n}@example.org`)
  const contactIds = []
  for (const address of addresses) contactIds.push(await rig.subscriber(audienceId, address))
  const isWaiting = `select from automations.enrollment_positions where automation_id = $1 and state = 'waiting'`
  await until(async () => (await rig.stage.query(isWaiting, [automationId])).length === people, {
    what: 'contacts who wait',
  })
  return {
    automationId,
    addresses,
    contactIds,
    begin: () =>
      rig.stage.query(
        `with ended as (
           update automations.enrollment_positions set due_at = now(), wait_until = now() where automation_id = $1
           returning workspace_id, due_at, enrollment_id)
         insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select * from ended`,
        [automationId],
      ),
  }
}
const left = (automationId: string) =>
  rig.stage.query<{ contact_id: string; node_key: string; waiting_reason: string; failed_attempts: number }>(
    'select contact_id, node_key, waiting_reason, failed_attempts from automations.enrollment_positions where automation_id = $1',
    [automationId],
  )
/** Makes the step of the contact due, which waits for its next attempt. */
const dueNow = (automationId: string) =>
  rig.stage.query(
    `with again as (
       update automations.enrollment_positions set due_at = now() where automation_id = $1 returning workspace_id, due_at, enrollment_id)
     insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select * from again`,
    [automationId],
  )

test('an effect that breaks for one contact delays only this one, and happens once after the repair', async () => {
  const { automationId, contactIds, begin } = await dueTogether([adjustScore(1), adjustScore(10)])
  const contactId = contactIds[failing]!
  const repair = await breakWrites('contacts.contacts', 'id', contactId)
  await begin()
  await rig.ended(automationId, people - 1)
  await until(async () => (await left(automationId))[0]!.failed_attempts > 0, { what: 'a failed attempt' })
  expect(await left(automationId)).toEqual([
    {
      contact_id: contactId,
      node_key: '2-adjust_score',
      waiting_reason: 'contacts_unavailable',
      failed_attempts: expect.any(Number),
    },
  ])
  await repair()
  await dueNow(automationId)
  expect(await rig.ended(automationId, people)).toEqual(Array.from({ length: people }, () => 'completed'))
  expect(await Promise.all(contactIds.map(rig.scoreOf))).toEqual(contactIds.map(() => 11))
})

test('an email that breaks for one contact delays only this one, and each contact gets it once', async () => {
  const { automationId, addresses, contactIds, begin } = await dueTogether([rig.emailNode()])
  const contactId = contactIds[failing]!
  const repair = await breakWrites('campaigns.automation_emails', 'contact_id', contactId)
  await begin()
  await rig.ended(automationId, people - 1)
  await until(async () => (await left(automationId))[0]!.failed_attempts > 0, { what: 'a failed attempt' })
  expect(await left(automationId)).toMatchObject([{ contact_id: contactId, waiting_reason: 'delivery_unavailable' }])
  await repair()
  await dueNow(automationId)
  expect(await rig.ended(automationId, people)).toEqual(Array.from({ length: people }, () => 'completed'))
  for (const address of addresses) expect(await rig.messagesTo(address)).toHaveLength(1)
})

test('a contact whose step kills each worker is soon taken alone, and the others move on', async () => {
  const { automationId, contactIds, begin } = await dueTogether([adjustScore(1)])
  await stops.pop()!()
  await begin()
  const service = createService('looker', { logLevel: 'silent' })
  const url = rig.stage.databaseUrl('automations')
  const db = await openDatabase(service, { url, schema: 'automations', entities, poolMax: 1 })
  stops.push(() => db.stop())
  const ctx = contexts(db, service, {}).ofCall(rig.us) as Ctx
  const options = { now: ctx.now(), most: 32, holder: 'w', leaseSeconds: 60 }
  const sizes: number[] = []
  while (sizes.at(-1) !== 1) {
    const set = await ctx.tx((em) => claimSet(em, ctx.workspaceId, options))
    if (!set) {
      await rig.stage.query(`update automations.enrollment_claims set lease_until = '-infinity'`)
      await ctx.tx(recoverLostSets)
    } else if (set.people.some(({ contact_id: id }) => id === contactIds[failing])) sizes.push(set.people.length)
    else {
      const done = set.people.map(({ enrollment_id: id }) => id)
      await rig.stage.query('delete from automations.enrollment_claims where id = $1', [set.id])
      await rig.stage.query('delete from automations.enrollment_positions where enrollment_id = any($1)', [done])
    }
    if (sizes.length > 10) throw new Error('the contact is never alone')
  }
  // The last claim is not lost yet.
  expect(sizes[0]).toBe(people)
  expect(sizes.length).toBeLessThanOrEqual(6)
  expect(await left(automationId)).toMatchObject([
    { contact_id: contactIds[failing], failed_attempts: sizes.length - 1 },
  ])
})
