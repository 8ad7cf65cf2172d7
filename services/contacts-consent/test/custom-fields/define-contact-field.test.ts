import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const define = (fieldKey: string, fieldType: string, options: string[] = [], caller = s.us) =>
  s.contacts.defineContactField(caller, { fieldKey, label: 'A label', fieldType, options })
const inForce = async (fieldKey: string, caller = s.us) =>
  (await s.contacts.listContactFields(caller, {})).fieldDefinitions.find((field) => field.fieldKey === fieldKey)

test('a repeated definition of the same type adds the next version, and that version applies', async () => {
  const first = await define('plan', 'single_choice', ['free', 'paid'])
  expect(first.fieldDefinition).toMatchObject({ fieldKey: 'plan', fieldType: 'single_choice', version: 1 })
  await s.contacts.upsertContact(s.us, { email: 'plan@example.com', source: 'test', customFields: { plan: 'free' } })
  const second = await define('plan', 'single_choice', ['paid', 'team'])
  expect(second.fieldDefinition).toMatchObject({ fieldKey: 'plan', version: 2 })
  expect(await inForce('plan')).toMatchObject({
    id: second.fieldDefinition!.id,
    label: 'A label',
    options: ['paid', 'team'],
    version: 2,
  })

  const set = (plan: string) =>
    s.contacts.upsertContact(s.us, { email: 'plan@example.com', source: 'test', customFields: { plan } })
  expect((await set('team')).contact!.customFields).toEqual({ plan: 'team' })
  await expect(set('free')).rejects.toMatchObject({ code: 'invalid_argument', reason: 'custom_fields' })
})

test('a new version does not change the stored values of contacts', async () => {
  await define('size', 'single_choice', ['s', 'l'])
  await s.contacts.upsertContact(s.us, { email: 'size@example.com', source: 'test', customFields: { size: 's' } })
  await define('size', 'single_choice', ['l'])
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'size@example.com',
    source: 'test',
    firstName: 'A',
  })
  expect(contact!.customFields).toEqual({ size: 's' })
})

test('another type for a key is a conflict and adds no version', async () => {
  await define('age', 'integer')
  await expect(define('age', 'decimal')).rejects.toMatchObject({ code: 'conflict', reason: 'field_type' })
  expect(await inForce('age')).toMatchObject({ fieldType: 'integer', version: 1 })
})

test('concurrent definitions of one key get versions without gaps and one type', async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => define('crowd', n % 2 ? 'text' : 'long_text')),
  )
  const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.fieldDefinition!] : []))
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
  expect(made.map((field) => field.version).sort((one, other) => one - other)).toEqual(
    Array.from({ length: 10 }, (_, n) => n + 1),
  )
  expect(new Set(made.map((field) => field.fieldType)).size).toBe(1)
  expect(refused).toHaveLength(10)
  for (const error of refused) expect(error).toMatchObject({ code: 'conflict', reason: 'field_type' })
})

test('a definition is audited, without its label', async () => {
  const { fieldDefinition } = await define('audited', 'url')
  const audited = fromBinary(AuditRecordedSchema, (await s.announced('audit_recorded')).at(-1)!.payload)
  expect(audited).toMatchObject({
    action: 'contact_field_defined',
    subjectType: 'field_definition',
    subjectId: fieldDefinition!.id,
    actor: 'tester',
    detail: { field_key: 'audited', field_type: 'url', version: 1 },
  })
})

test("another tenant's field with the same key may have another type", async () => {
  await define('shared', 'boolean')
  expect(await inForce('shared', s.them)).toBeUndefined()
  expect((await define('shared', 'date', [], s.them)).fieldDefinition).toMatchObject({ fieldType: 'date', version: 1 })
  expect(await inForce('shared')).toMatchObject({ fieldType: 'boolean', version: 1 })
})

test.each([
  ['field_key', { fieldKey: 'Not a key' }],
  ['label', { label: '' }],
  ['field_type', { fieldType: 'money' }],
  ['options', { options: ['a'] }],
  ['options', { fieldType: 'single_choice' }],
])('an invalid %s is refused with the name of the field', async (reason, part) => {
  const ask = { fieldKey: 'fine', label: 'Fine', fieldType: 'text', options: [], ...part }
  await expect(s.contacts.defineContactField(s.us, ask)).rejects.toMatchObject({ code: 'invalid_argument', reason })
})

test('the number of options and of fields is limited, so that one list answers all fields', async () => {
  const long = (n: number) => Array.from({ length: n }, (_, index) => `${index}`.padEnd(100, 'x'))
  await define('hundred', 'single_choice', long(100))
  await expect(define('hundred', 'single_choice', long(101))).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'options',
  })
  const full = await s.workspace()
  await s.stage.query(
    `insert into contacts.field_definitions (workspace_id, id, field_key, version, label, field_type, created_by)
     select $1, gen_random_uuid(), 'field_' || n, 1, 'A label', 'text', 'test' from generate_series(1, 500) n`,
    [full],
  )
  await expect(define('one_more', 'text', [], s.as(full))).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'field_key',
  })
  expect((await define('field_7', 'text', [], s.as(full))).fieldDefinition).toMatchObject({ version: 2 })
})
