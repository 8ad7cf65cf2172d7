import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { fromBinary } from '@bufbuild/protobuf'
import { emptyDefinition, openAutomations, type AutomationsStage } from '../automations-stage.ts'

let s: AutomationsStage
let counter = 0
beforeAll(async () => {
  s = await openAutomations()
})
afterAll(() => s.close())

const create = async (definition: object = emptyDefinition, caller = s.us) => {
  counter += 1
  const made = { name: 'A', slug: `p-${counter}`, definition: definition as typeof emptyDefinition }
  return (await s.automations.createAutomation(caller, made)).automation!
}
const review = ({ id, selectedVersion: version }: Awaited<ReturnType<typeof create>>, caller = s.us) =>
  s.automations.markAutomationReadyForReview(caller, {
    automationId: id,
    versionId: version!.id,
    definitionChecksum: version!.definitionChecksum,
  })
const reviewed = async (definition?: object, caller = s.us) => {
  const made = await create(definition, caller)
  await review(made, caller)
  return made
}
const publish = async (automationId: string) =>
  (await s.automations.publishAutomation(s.us, { automationId })).automation!
const pause = async (automationId: string) => (await s.automations.pauseAutomation(s.us, { automationId })).automation!
const wrongState = { code: 'failed_precondition', reason: 'automation_status' }

const stored = async (id: string) => {
  const [row] = await s.stage.query<Record<string, string | null>>(
    'select status, published_version_id, trigger_type, trigger_subject_id from automations.automations where id = $1',
    [id],
  )
  return row!
}

test('the audience or the tag of the trigger is stored when an automation is published', async () => {
  const audienceId = await s.audience()
  const subscribed = await reviewed({
    ...emptyDefinition,
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
  })
  await publish(subscribed.id)
  expect(await stored(subscribed.id)).toEqual({
    status: 'published',
    published_version_id: subscribed.selectedVersion!.id,
    trigger_type: 'audience_subscribed',
    trigger_subject_id: audienceId,
  })
  const { tag } = await s.contacts.registerTag(s.us, { name: 'vip' })
  for (const named of ['vip', tag!.id]) {
    const tagged = await reviewed({ ...emptyDefinition, trigger: { type: 'tag_removed', config: { tag: named } } })
    await publish(tagged.id)
    expect(await stored(tagged.id)).toMatchObject({ trigger_type: 'tag_removed', trigger_subject_id: tag!.id })
  }
  const manual = await reviewed()
  await publish(manual.id)
  expect(await stored(manual.id)).toMatchObject({ trigger_type: 'manual', trigger_subject_id: null })
})

test('publishing and pausing in any other status changes nothing', async () => {
  const draft = await create()
  await expect(publish(draft.id)).rejects.toMatchObject(wrongState)
  await expect(pause(draft.id)).rejects.toMatchObject(wrongState)
  await review(draft)
  await expect(pause(draft.id)).rejects.toMatchObject(wrongState)
  expect((await publish(draft.id)).status).toBe('published')
  await expect(publish(draft.id)).rejects.toMatchObject(wrongState)
  await s.automations.archiveAutomation(s.us, { automationId: draft.id })
  await expect(publish(draft.id)).rejects.toMatchObject(wrongState)
  await expect(pause(draft.id)).rejects.toMatchObject(wrongState)
  await s.automations.restoreAutomation(s.us, { automationId: draft.id })
  await expect(publish(draft.id)).rejects.toMatchObject(wrongState)
  expect((await stored(draft.id))['status']).toBe('draft')
})

test('a publication that expects another version is refused and says who saved the current one', async () => {
  const made = await reviewed()
  const { automation } = await s.automations.createAutomationVersion(s.us, {
    automationId: made.id,
    definition: emptyDefinition,
  })
  const publishing = (expectedVersion: number) =>
    s.automations.publishAutomation(s.us, { automationId: made.id, expectedVersion })
  const refusal = {
    code: 'conflict',
    reason: 'automation_changed',
    message: expect.stringMatching(
      /^Version 2 of this automation was saved by tester at \S+Z, and you began with version 1\. Nothing was published\./,
    ),
  }
  await expect(publishing(1)).rejects.toMatchObject(refusal)
  await review(automation!)
  await expect(publishing(1)).rejects.toMatchObject(refusal)
  expect((await stored(made.id))['status']).toBe('ready_for_review')
  expect((await publishing(2)).automation).toMatchObject({ status: 'published' })
})

test('what a version names is looked up again at each publication, and everything that cannot be used is named', async () => {
  const [audienceId, senderId, contentId] = [await s.audience(), await s.sender(), await s.content()]
  const { tag } = await s.contacts.registerTag(s.us, { name: 'gone soon' })
  const { id } = await reviewed({
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
    start_node: 'mail',
    nodes: [
      { key: 'mail', type: 'send_email', config: { content_version_id: contentId, sender_identity_id: senderId } },
      { key: 'tag', type: 'add_tag', config: { tag: 'gone soon' } },
    ],
    edges: [{ from: 'mail', to: 'tag', branch: 'default' }],
  })
  await publish(id)
  await s.automations.archiveAutomation(s.us, { automationId: id })
  await s.contacts.deleteAudience(s.us, { audienceId })
  await s.stage.query('delete from sending.sender_identities where id = $1', [senderId])
  await s.contacts.registerTag(s.us, { name: 'kept' })
  await s.contacts.mergeTag(s.us, { tagId: tag!.id, into: 'kept' })
  const { automation } = await s.automations.restoreAutomation(s.us, { automationId: id })
  await review(automation!)
  const refused = await publish(id).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'failed_precondition', reason: 'references_missing' })
  for (const named of [audienceId, senderId, '"gone soon"']) expect((refused as Error).message).toContain(named)
  expect((await stored(id))['status']).toBe('ready_for_review')
})

test('a paused automation is not published again while it names an archived audience', async () => {
  const audienceId = await s.audience()
  const { id } = await reviewed({
    ...emptyDefinition,
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
  })
  await publish(id)
  await pause(id)
  await s.contacts.archiveAudience(s.us, { audienceId })
  await expect(publish(id)).rejects.toMatchObject({ reason: 'references_missing' })
  expect((await stored(id))['status']).toBe('paused')
  const appended = await s.automations.createAutomationVersion(s.us, { automationId: id, definition: emptyDefinition })
  await review(appended.automation!)
  expect((await publish(id)).status).toBe('published')
})

/** An automation that sends one content version, and its template. */
async function mailing(html: string) {
  const [templateId, senderId] = [await s.template(), await s.sender()]
  const { contentVersion } = await s.campaigns.createContentVersion(s.us, { templateId, subject: 'Hello', html })
  const config = { content_version_id: contentVersion!.id, sender_identity_id: senderId }
  const definition = { ...emptyDefinition, nodes: [{ key: 'end', type: 'send_email', config }] }
  return { templateId, contentVersionId: contentVersion!.id, definition }
}
const warningsOf = (automation: Awaited<ReturnType<typeof create>>) =>
  (automation.selectedVersion!.validation as { warnings: string[] }).warnings

test('an automation whose content has no visible unsubscribe link is published with a warning', async () => {
  const { contentVersionId, definition } = await mailing('<p>Hi</p>')
  const { id } = await reviewed(definition)
  const published = await publish(id)
  expect(published.status).toBe('published')
  expect(warningsOf(published)).toContain(
    `The content version ${contentVersionId} has no unsubscribe link that recipients can see. Its emails are sent, with one-click unsubscribe in their headers only.`,
  )
})

test('a cycle that sends an email after a second is published with a warning', async () => {
  const { definition } = await mailing('<a href="{{ unsubscribe_url }}">leave</a>')
  const [mail] = (definition as { nodes: { key: string }[] }).nodes
  const { id } = await reviewed({
    ...definition,
    nodes: [mail, { key: 'second', type: 'wait_duration', config: { seconds: 1 } }],
    edges: [
      { from: mail!.key, to: 'second', branch: 'default' },
      { from: 'second', to: mail!.key, branch: 'default' },
    ],
  })
  const published = await publish(id)
  expect(published.status).toBe('published')
  expect(warningsOf(published)).toContain(
    `A contact can come back to the email "${mail!.key}" after 1 second and get it again and again. Let the cycle wait for an hour or more.`,
  )
})

test('content of confirmation emails is refused, because an automation has no confirmation link', async () => {
  const { contentVersionId, definition } = await mailing('<a href="{{ confirmation_url }}">confirm</a>')
  const refused = await create(definition).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'invalid_argument', reason: 'definition' })
  expect((refused as Error).message).toContain(
    `The content version ${contentVersionId} links to {{ confirmation_url }}, which only confirmation emails`,
  )
})

test('content of an archived template is a warning, and is not published, unless it was published before', async () => {
  const { templateId, contentVersionId, definition } = await mailing('<a href="{{ unsubscribe_url }}">leave</a>')
  const archive = (archived: boolean) => s.campaigns.archiveEmailTemplate(s.us, { templateId, archived })
  const archived = `The email template of the content version ${contentVersionId} is archived`
  const { id } = await reviewed(definition)
  await archive(true)
  const refused = await publish(id).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'failed_precondition', reason: 'references_missing' })
  expect((refused as Error).message).toContain(archived)
  await archive(false)
  await publish(id)
  await archive(true)
  await pause(id)
  expect((await publish(id)).status).toBe('published')
  const appended = await s.automations.createAutomationVersion(s.us, {
    automationId: id,
    definition: definition as typeof emptyDefinition,
  })
  expect(warningsOf(appended.automation!)).toContainEqual(expect.stringContaining(archived))
  await review(appended.automation!)
  await expect(publish(id)).rejects.toMatchObject({ reason: 'references_missing' })
  expect((await stored(id))['status']).toBe('ready_for_review')
})

test('at most 100 automations with the same trigger and audience are published', async () => {
  const audienceId = await s.audience()
  const subscribed = {
    ...emptyDefinition,
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
  }
  const [first, last] = [await reviewed(subscribed), await reviewed(subscribed)]
  await publish(first.id)
  await s.stage.query(
    `insert into automations.automations (workspace_id, id, name, slug, status, current_version, published_version_id, published_by_wallet_id,
                                          published_at, trigger_type, trigger_subject_id)
     select workspace_id, gen_random_uuid(), name, 'copy-' || i, status, 1, published_version_id, published_by_wallet_id,
            published_at, trigger_type, trigger_subject_id
       from automations.automations, generate_series(1, 99) i where id = $1`,
    [first.id],
  )
  const full = { code: 'failed_precondition', reason: 'published_automations_limit' }
  await expect(publish(last.id)).rejects.toMatchObject(full)
  await pause(first.id)
  await publish(last.id)
  await expect(publish(first.id)).rejects.toMatchObject(full)
})

test('of two people who publish or pause at the same moment, one succeeds', async () => {
  const { id } = await reviewed()
  const codes = async (one: Promise<unknown>, other: Promise<unknown>) =>
    (await Promise.allSettled([one, other])).map(({ status }) => status).toSorted()
  expect(await codes(publish(id), publish(id))).toEqual(['fulfilled', 'rejected'])
  expect(await codes(pause(id), pause(id))).toEqual(['fulfilled', 'rejected'])
})

test('publishing and appending at the same moment never publish a version that nobody reviewed', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await reviewed()
    await Promise.allSettled([
      publish(id),
      s.automations.createAutomationVersion(s.us, { automationId: id, definition: emptyDefinition }),
    ])
    expect((await stored(id))['status']).toBe('draft')
  }
})

test('both are in the audit log, once for each change', async () => {
  const { id, selectedVersion: version } = await reviewed()
  await publish(id)
  await pause(id)
  await expect(pause(id)).rejects.toMatchObject(wrongState)
  await publish(id)
  const rows = await s.stage.query<{ payload: Buffer }>(
    `select payload from automations.outbox where event = 'audit_recorded' order by id`,
  )
  const records = rows
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ subjectId, action }) => subjectId === id && /published|paused/.test(action))
  const detail = { version: 1, definition_checksum: version!.definitionChecksum }
  expect(records.map((record) => [record.action, record.actor, record.detail])).toEqual([
    ['automation_published', 'tester', { ...detail, previous_status: 'ready_for_review' }],
    ['automation_paused', 'tester', { version: 1 }],
    ['automation_published', 'tester', { ...detail, previous_status: 'paused' }],
  ])
})

test('an automation of another workspace is not found', async () => {
  const { id } = await reviewed()
  for (const call of [s.automations.publishAutomation, s.automations.pauseAutomation])
    for (const automationId of [id, 'no-id'])
      await expect(call(s.them, { automationId })).rejects.toMatchObject({ code: 'not_found' })
})
