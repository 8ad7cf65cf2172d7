import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { nobody, openContent } from './content-stage.ts'

let stage: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => void (stage = await openContent()))
afterAll(() => stage.close())

const archive = (templateId: string, archived?: boolean, caller = stage.us) =>
  stage.campaigns.archiveEmailTemplate(caller, { templateId, ...(archived === undefined ? {} : { archived }) })
const stored = async (id: string) => {
  const [template] = await stage.stage.query<{ archived_at: string | null; latest_version: number }>(
    'select archived_at, latest_version from campaigns.email_templates where id = $1',
    [id],
  )
  return template!
}
const audited = async (id: string) => {
  const found = await stage.stage.query<{ payload: Uint8Array }>(
    `select payload from campaigns.outbox where event = 'audit_recorded' order by id`,
  )
  return found
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ subjectId }) => subjectId === id)
    .map(({ action }) => action)
}

test('a template is archived by default, and can be restored', async () => {
  const id = await stage.template()
  expect((await archive(id)).emailTemplate).toMatchObject({ id, archived: true })
  expect((await stored(id)).archived_at).not.toBeNull()
  expect((await archive(id, false)).emailTemplate).toMatchObject({ id, archived: false })
  expect((await stored(id)).archived_at).toBeNull()
  expect((await archive(id, true)).emailTemplate).toMatchObject({ id, archived: true })
})

test('repeating the request changes nothing and is audited once', async () => {
  const id = await stage.template()
  expect((await archive(id, false)).emailTemplate).toMatchObject({ archived: false })
  await archive(id)
  const first = await stored(id)
  expect((await archive(id)).emailTemplate).toMatchObject({ id, archived: true })
  expect(await stored(id)).toEqual(first)
  await Promise.all(Array.from({ length: 8 }, () => archive(id, false)))
  expect(await audited(id)).toEqual(['email_template_created', 'email_template_archived', 'email_template_restored'])
})

test('an archived template keeps its versions and accepts new ones', async () => {
  const id = await stage.template()
  const version = () =>
    stage.campaigns.createContentVersion(stage.us, { templateId: id, subject: 's', html: '<p>x</p>' })
  await version()
  await archive(id)
  expect((await version()).contentVersion!.version).toBe(2)
  expect((await stored(id)).latest_version).toBe(2)
})

test('a template of another tenant is not found and stays unchanged', async () => {
  const theirs = await stage.template(stage.them)
  const answers = await Promise.all(
    [theirs, nobody, 'not-an-id', ''].map((id) => archive(id).catch((error: unknown) => error)),
  )
  for (const answer of answers)
    expect(answer).toMatchObject({
      code: 'not_found',
      reason: 'email_template',
      message: (answers[1] as Error).message,
    })
  expect((await stored(theirs)).archived_at).toBeNull()
})
