import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  AlertRaisedSchema,
  AuditRecordedSchema,
  SuppressionResolvedSchema,
} from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

/** An administrator of the platform without a workspace. */
const administrator = () =>
  s.stage.caller({ workspaceId: null, role: null, platformRole: 'administrator', actor: 'ops' })
let people = 0
const address = () => `somebody${(people += 1)}@mail.example.com`

async function suppressed(email: string, { caller = s.us, reason = 'legal' } = {}) {
  const contactId = await s.contact(caller, email)
  const evidence = { note: 'seen by their workspace alone' }
  const { suppressionId } = await s.contacts.suppressContact(caller, { contactId, scope: 'platform', reason, evidence })
  return { contactId, suppressionId }
}
const list = (filter = {}) => s.contacts.listPlatformSuppressions(administrator(), filter)
const resolve = (suppressionId: string, resolutionReason = 'the court said so') =>
  s.contacts.resolvePlatformSuppression(administrator(), { suppressionId, resolutionReason })

test('platform suppressions of every workspace are listed, masked and without evidence', async () => {
  const email = address()
  const ours = await suppressed(email)
  const theirs = await suppressed(email, { caller: s.them, reason: 'manual' })
  const { suppressions } = await list({ email: email.toUpperCase() })
  expect(suppressions).toMatchObject([
    { id: theirs.suppressionId, maskedEmail: 's***@mail.example.com', reason: 'manual', workspace: 'newsletter' },
    {
      id: ours.suppressionId,
      maskedEmail: 's***@mail.example.com',
      reason: 'legal',
      organization: 'acme',
      actor: 'tester',
    },
  ])
  const text = suppressions.map((one) => JSON.stringify({ ...one, createdAt: null })).join()
  for (const secret of [email, 'seen by their workspace', ours.contactId]) expect(text).not.toContain(secret)
})

test('the list is filtered by address, reason and state and comes in pages without gaps, newest first', async () => {
  const made: string[] = []
  for (const reason of ['legal', 'manual', 'legal', 'other'])
    made.unshift((await suppressed(address(), { reason, caller: made.length % 2 ? s.us : s.them })).suppressionId)
  await resolve(made[0]!)
  const ids = async (filter: object) =>
    (await list(filter)).suppressions.map(({ id }) => id).filter((id) => made.includes(id))
  expect(await ids({})).toEqual(made)
  expect(await ids({ reason: 'legal' })).toEqual([made[1], made[3]])
  expect(await ids({ state: 'resolved' })).toEqual([made[0]])
  expect(await ids({ state: 'unresolved' })).toEqual(made.slice(1))
  const read: string[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 1, ...(cursor === undefined ? {} : { cursor }) })
    read.push(...page.suppressions.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(read.slice(0, 4)).toEqual(made)
  for (const [filter, reason] of [
    [{ email: 'no address' }, 'email'],
    [{ reason: 'dislike' }, 'reason'],
    [{ state: 'lost' }, 'state'],
    [{ limit: 0 }, 'limit'],
    [{ cursor: 'made-up' }, 'cursor'],
  ] as const)
    await expect(list(filter)).rejects.toMatchObject({ code: 'invalid_argument', reason })
})

test('an administrator without a workspace resolves a suppression; the workspace that made it records and audits the resolution', async () => {
  const email = address()
  const [audience, ourAudience] = [await s.audience(s.them), await s.audience(s.us)]
  const { contactId, suppressionId } = await suppressed(email, { caller: s.them })
  const elsewhere = await s.contact(s.us, email)
  expect(await resolve(suppressionId)).toMatchObject({ resolved: true })

  expect(await s.reasons(contactId, audience, s.them)).not.toContain('suppressed_platform')
  expect(await s.reasons(elsewhere, ourAudience)).not.toContain('suppressed_platform')
  const record = await s.events(contactId)
  expect(record.at(-1)).toMatchObject({
    kind: 'resolved',
    scope: 'platform',
    suppression_id: suppressionId,
    workspace_id: s.theirs,
    actor: 'ops',
  })
  const [row] = await s.stage.query('select * from contacts.suppressions where id = $1', [suppressionId])
  expect(row).toMatchObject({ resolved_by: 'ops', resolution_reason: 'the court said so' })
  const alerts = (await s.announced('alert_raised')).map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
  expect(alerts.filter(({ about }) => about === suppressionId)).toMatchObject([
    { code: 'platform_suppression_added', isOver: false },
    { code: 'platform_suppression_added', isOver: true },
  ])
  const told = (await s.announced('suppression_resolved')).at(-1)!
  expect([told.workspace_id, fromBinary(SuppressionResolvedSchema, told.payload).suppressionId]).toEqual([
    s.theirs,
    suppressionId,
  ])
  const audited = (await s.announced('audit_recorded')).at(-1)!
  expect([audited.workspace_id, fromBinary(AuditRecordedSchema, audited.payload)]).toMatchObject([
    s.theirs,
    { action: 'suppression_resolved', subjectId: suppressionId, actor: 'ops' },
  ])

  const before = record.length
  expect(await resolve(suppressionId, 'again')).toMatchObject({ resolved: true })
  expect(await s.events(contactId)).toHaveLength(before)
})

test('resolving a platform suppression leaves other platform suppressions of the address unresolved', async () => {
  const email = address()
  const audience = await s.audience()
  const { contactId, suppressionId } = await suppressed(email)
  const other = await suppressed(email, { caller: s.them })
  await resolve(suppressionId)
  expect(await s.reasons(contactId, audience)).toContain('suppressed_platform')
  await resolve(other.suppressionId)
  expect(await s.reasons(contactId, audience)).not.toContain('suppressed_platform')
})

test('a suppression of workspace scope and an unknown id answer not_found', async () => {
  const contactId = await s.contact()
  const { suppressionId } = await s.contacts.suppressContact(s.us, { contactId, scope: 'workspace', reason: 'manual' })
  for (const id of [suppressionId, newId(), 'no-id'])
    await expect(resolve(id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(resolve((await suppressed(address())).suppressionId, ' ')).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'resolution_reason',
  })
})

test('a suppression of an erased person is listed as erased and is found by its address until it is resolved', async () => {
  const email = address()
  const [standing, resolved] = [await suppressed(email), await suppressed(address())]
  await resolve(resolved.suppressionId)
  for (const { contactId } of [standing, resolved]) await s.erase(contactId)
  const shown = (await list()).suppressions
  for (const { suppressionId } of [standing, resolved])
    expect(shown.find(({ id }) => id === suppressionId)).toMatchObject({ maskedEmail: 'erased' })
  const found = await list({ email: email.toUpperCase() })
  expect(found.suppressions).toMatchObject([{ id: standing.suppressionId, maskedEmail: 'erased' }])
})

test('only administrators of the platform may list or resolve them', async () => {
  const { suppressionId } = await suppressed(address())
  for (const caller of [s.us, s.as(s.ours, { platformRole: 'nobody' }), s.stage.caller({ workspaceId: null })]) {
    const denied = { code: 'permission_denied' }
    await expect(s.contacts.listPlatformSuppressions(caller, {})).rejects.toMatchObject(denied)
    await expect(
      s.contacts.resolvePlatformSuppression(caller, { suppressionId, resolutionReason: 'x' }),
    ).rejects.toMatchObject(denied)
  }
})
