// Over 300 lines because a second file would start the same services again.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AudienceSubscribedSchema, TagAddedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'

let s: RuntimeStage
let worker: Awaited<ReturnType<RuntimeStage['worker']>>
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  worker = await s.worker()
})
afterAll(() => s.close())

/** Everybody waits for a day at the first node. */
const waiting = (trigger: object) => ({
  trigger,
  start_node: 'wait',
  nodes: [
    { key: 'wait', type: 'wait_duration', config: { seconds: 86_400 } },
    { key: 'end', type: 'end', config: {} },
  ],
  edges: [{ from: 'wait', to: 'end', branch: 'default' }],
})
const subscribed = (audienceId: string) => waiting({ type: 'audience_subscribed', config: { audience_id: audienceId } })
const tagTrigger = (type: 'tag_added' | 'tag_removed', tag: string) => waiting({ type, config: { tag } })

/** The contacts in an automation, once there are this many. */
const contactsIn = async (automationId: string, count: number) => {
  const rows = await until(async () => {
    const found = await s.enrollments(automationId)
    return found.length >= count && found
  })
  return rows.map((row) => row.contact_id)
}
/** What was triggered before this is handled, because events of one kind are handled in their order. */
const handledUntilHere = async (caller = s.us) => {
  const audienceId = await s.audience(caller)
  const automationId = await s.published(subscribed(audienceId), caller)
  await s.subscribe(await s.contact(caller), audienceId, caller)
  await contactsIn(automationId, 1)
}

test('a subscription enrols the contact into every published automation for this audience, in the current version', async () => {
  const [audienceId, otherAudience] = [await s.audience(), await s.audience()]
  const ids = [await s.published(subscribed(audienceId)), await s.published(subscribed(audienceId))]
  const other = await s.published(subscribed(otherAudience))
  const contactId = await s.contact()
  await s.subscribe(contactId, audienceId)
  for (const id of ids) {
    expect(await contactsIn(id, 1)).toEqual([contactId])
    const { automation } = await s.automations.getAutomation(s.us, { automationId: id })
    const [enrollment] = await s.enrollments(id)
    expect(enrollment).toMatchObject({ version_id: automation!.selectedVersion!.id, audience_id: audienceId })
  }
  await handledUntilHere()
  expect(await s.enrollments(other)).toEqual([])
})

test('a tag that is applied or removed enrols, also after the tag was renamed', async () => {
  const { tag } = await s.contacts.registerTag(s.us, { name: 'customer' })
  const added = await s.published(tagTrigger('tag_added', 'customer'))
  const removed = await s.published(tagTrigger('tag_removed', tag!.id))
  await s.contacts.renameTag(s.us, { tagId: tag!.id, name: 'client' })
  const contactId = await s.contact()
  await s.contacts.applyTag(s.us, { contactId, tag: 'client' })
  expect(await contactsIn(added, 1)).toEqual([contactId])
  expect(await s.enrollments(removed)).toEqual([])
  await s.contacts.removeTag(s.us, { contactId, tag: 'client' })
  expect(await contactsIn(removed, 1)).toEqual([contactId])
  expect(await s.enrollments(added)).toHaveLength(1)
})

test('a contact is enrolled once at a time, however often the trigger fires or an event is delivered', async () => {
  const { tag } = await s.contacts.registerTag(s.us, { name: 'often' })
  const automationId = await s.published(tagTrigger('tag_added', 'often'))
  const contactId = await s.contact()
  const { workspaceId } = s.us.caller as { workspaceId: string }
  const id = newId()
  const fired = { contactId, tag: 'often', tagId: tag!.id }
  for (const meta of [{ id }, { id }, {}, {}])
    await s.stage.publish('contacts-consent', TagAddedSchema, fired, { workspaceId, ...meta })
  const last = await s.contact()
  await s.contacts.applyTag(s.us, { contactId: last, tag: 'often' })
  expect((await contactsIn(automationId, 2)).toSorted()).toEqual([contactId, last].toSorted())
  // After it ended, the trigger enrols again.
  await s.stage.query('delete from automations.enrollment_positions where contact_id = $1', [contactId])
  await s.stage.query(
    `update automations.enrollments set end_state = 'completed', ended_at = now() where contact_id = $1`,
    [contactId],
  )
  await s.stage.publish('contacts-consent', TagAddedSchema, fired, { workspaceId })
  expect((await contactsIn(automationId, 3)).filter((one) => one === contactId)).toHaveLength(2)
})

test('a trigger enrols nobody into an automation that is not published, also not after it is published', async () => {
  const audienceId = await s.audience()
  const draft = await s.reviewed(subscribed(audienceId))
  const paused = await s.published(subscribed(audienceId))
  await s.automations.pauseAutomation(s.us, { automationId: paused })
  const archived = await s.published(subscribed(audienceId))
  await s.automations.archiveAutomation(s.us, { automationId: archived })
  const appended = await s.published(subscribed(audienceId))
  await s.automations.createAutomationVersion(s.us, {
    automationId: appended,
    definition: subscribed(audienceId) as never,
  })
  await s.subscribe(await s.contact(), audienceId)
  await handledUntilHere()
  await s.automations.publishAutomation(s.us, { automationId: draft.id })
  await s.automations.publishAutomation(s.us, { automationId: paused })
  await handledUntilHere()
  for (const id of [draft.id, paused, archived, appended]) expect(await s.enrollments(id)).toEqual([])
})

test('a trigger that fired before the publication enrols nobody, also if its event arrives after it', async () => {
  await worker.stop()
  const audienceId = await s.audience()
  await s.subscribe(await s.contact(), audienceId)
  const automationId = await s.published(subscribed(audienceId))
  const later = await s.contact()
  await s.subscribe(later, audienceId)
  worker = await s.worker()
  expect(await contactsIn(automationId, 1)).toEqual([later])
})

test('an event counts by its own time: one from before a pause enrols after it, and one from the pause does not', async () => {
  await worker.stop()
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const [before, during, after] = [await s.contact(), await s.contact(), await s.contact()]
  await s.subscribe(before, audienceId)
  await s.automations.pauseAutomation(s.us, { automationId })
  await s.subscribe(during, audienceId)
  await s.automations.publishAutomation(s.us, { automationId })
  await s.subscribe(after, audienceId)
  worker = await s.worker()
  expect((await contactsIn(automationId, 2)).toSorted()).toEqual([before, after].toSorted())
  await handledUntilHere()
  expect(await s.enrollments(automationId)).toHaveLength(2)
})

test('an event from before a pause that is handled during it enrols nobody, also not later', async () => {
  await worker.stop()
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  await s.subscribe(await s.contact(), audienceId)
  await s.automations.pauseAutomation(s.us, { automationId })
  worker = await s.worker()
  await handledUntilHere()
  await s.automations.publishAutomation(s.us, { automationId })
  await handledUntilHere()
  expect(await s.enrollments(automationId)).toEqual([])
})

test('an event from before the publication of its trigger enrols nobody, also if the automation was published with another one', async () => {
  await worker.stop()
  const [first, second] = [await s.audience(), await s.audience()]
  const automationId = await s.published(subscribed(first))
  await s.subscribe(await s.contact(), second)
  const definition = subscribed(second) as never
  const { automation } = await s.automations.createAutomationVersion(s.us, { automationId, definition })
  await s.review(automation!)
  await s.automations.publishAutomation(s.us, { automationId })
  const later = await s.contact()
  await s.subscribe(later, second)
  worker = await s.worker()
  expect(await contactsIn(automationId, 1)).toEqual([later])
  await handledUntilHere()
  expect(await s.enrollments(automationId)).toHaveLength(1)
})

test('a new version that is published enrols into itself', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  await s.subscribe(await s.contact(), audienceId)
  await contactsIn(automationId, 1)
  const { automation } = await s.automations.createAutomationVersion(s.us, {
    automationId,
    definition: subscribed(audienceId) as never,
  })
  await s.review(automation!)
  await s.automations.publishAutomation(s.us, { automationId })
  await s.subscribe(await s.contact(), audienceId)
  await contactsIn(automationId, 2)
  const [first, second] = await s.enrollments(automationId)
  expect(second!.version_id).toBe(automation!.selectedVersion!.id)
  expect(first!.version_id).not.toBe(second!.version_id)
})

test('events of 200 contacts enrol each of them in each of 21 automations', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  await s.stage.query(
    `with copied as (
       insert into automations.automations (workspace_id, id, name, slug, status, current_version, published_version_id, published_by_wallet_id,
                                            published_at, trigger_type, trigger_subject_id)
       select workspace_id, gen_random_uuid(), name, slug || '-' || i, status, 1, gen_random_uuid(), published_by_wallet_id,
              published_at, trigger_type, trigger_subject_id
         from automations.automations, generate_series(1, 20) i where id = $1
       returning id, published_version_id)
     insert into automations.automation_versions (workspace_id, id, automation_id, version, trigger_type, definition, definition_checksum,
                                                  validation, preview, created_by_wallet_id)
     select v.workspace_id, c.published_version_id, c.id, v.version, v.trigger_type, v.definition, v.definition_checksum, v.validation, v.preview, 'test'
       from automations.automation_versions v, copied c where v.automation_id = $1`,
    [automationId],
  )
  await worker.stop()
  const { workspaceId } = s.us.caller as { workspaceId: string }
  for (let n = 0; n < 200; n += 1)
    await s.stage.publish(
      'contacts-consent',
      AudienceSubscribedSchema,
      { contactId: newId(), audienceId },
      { workspaceId },
    )
  worker = await s.worker()
  const entered = () =>
    s.stage.query<{ contacts: number }>(
      `select count(distinct e.contact_id)::int as contacts from automations.enrollments e
         join automations.enrollment_positions p on p.enrollment_id = e.id
        where e.audience_id = $1 group by e.automation_id`,
      [audienceId],
    )
  const isFull = async () => (await entered()).filter(({ contacts }) => contacts === 200).length === 21
  await until(isFull, { what: 'each of 200 contacts in each of 21 automations' })
})

test('while the switch is off, triggers are lost', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  await worker.stop()
  await s.setGate(false)
  worker = await s.worker()
  await s.subscribe(await s.contact(), audienceId)
  await s.handled(worker, 'on-audience-subscribed', 1)
  await worker.stop()
  await s.setGate(true)
  worker = await s.worker()
  const later = await s.contact()
  await s.subscribe(later, audienceId)
  expect(await contactsIn(automationId, 1)).toEqual([later])
})

test('an event from while the switch was off enrols nobody when it is handled later, and one from before does', async () => {
  await worker.stop()
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const [before, during, after] = [await s.contact(), await s.contact(), await s.contact()]
  await s.subscribe(before, audienceId)
  await s.setGate(false)
  await s.subscribe(during, audienceId)
  await s.setGate(true)
  await s.subscribe(after, audienceId)
  worker = await s.worker()
  expect((await contactsIn(automationId, 2)).toSorted()).toEqual([before, after].toSorted())
  await handledUntilHere()
  expect(await s.enrollments(automationId)).toHaveLength(2)
})

test('an event of another workspace enrols nobody, and unreadable ids are ignored', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const { workspaceId } = s.us.caller as { workspaceId: string }
  await s.stage.publish(
    'contacts-consent',
    AudienceSubscribedSchema,
    { contactId: await s.contact(), audienceId },
    { workspaceId: s.them.caller.workspaceId! },
  )
  await s.stage.publish('contacts-consent', AudienceSubscribedSchema, { contactId: 'x', audienceId }, { workspaceId })
  await handledUntilHere()
  await handledUntilHere(s.them)
  expect(await s.enrollments(automationId)).toEqual([])
})

test('an enrollment belongs to the trace of its trigger', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(subscribed(audienceId))
  const { workspaceId } = s.us.caller as { workspaceId: string }
  await s.stage.publish(
    'contacts-consent',
    AudienceSubscribedSchema,
    { contactId: newId(), audienceId },
    { workspaceId },
  )
  await contactsIn(automationId, 1)
  const [row] = await s.stage.query<{ correlation_id: string; trace: object }>(
    'select correlation_id, trace from automations.enrollments where automation_id = $1',
    [automationId],
  )
  expect([row!.correlation_id, typeof row!.trace]).toEqual([expect.any(String), 'object'])
})
