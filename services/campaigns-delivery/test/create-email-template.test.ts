import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContent } from './content-stage.ts'

let stage: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => void (stage = await openContent()))
afterAll(() => stage.close())

test('a template is created with its name and slug, and audited', async () => {
  const { emailTemplate } = await stage.campaigns.createEmailTemplate(stage.us, {
    name: 'Spring',
    slug: 'spring-2026',
    description: 'Flowers',
  })
  expect(emailTemplate).toMatchObject({ name: 'Spring', slug: 'spring-2026' })
  const stored = await stage.stage.query('select * from campaigns.email_templates where id = $1', [emailTemplate!.id])
  expect(stored).toMatchObject([
    {
      workspace_id: stage.us.caller.workspaceId,
      description: 'Flowers',
      latest_version: 0,
      archived_at: null,
      created_by: 'tester',
    },
  ])
  expect(await stage.stage.query(`select 1 from campaigns.outbox where event = 'audit_recorded'`)).toHaveLength(1)
})

test('a slug stays taken within its workspace, also by an archived template', async () => {
  const taken = { name: 'A', slug: 'taken' }
  const { emailTemplate } = await stage.campaigns.createEmailTemplate(stage.us, taken)
  await expect(stage.campaigns.createEmailTemplate(stage.us, taken)).rejects.toMatchObject({
    code: 'conflict',
    reason: 'slug',
  })
  await stage.campaigns.archiveEmailTemplate(stage.us, { templateId: emailTemplate!.id })
  await expect(stage.campaigns.createEmailTemplate(stage.us, taken)).rejects.toMatchObject({
    code: 'conflict',
    reason: 'slug',
  })
  await expect(stage.campaigns.createEmailTemplate(stage.them, taken)).resolves.toMatchObject({
    emailTemplate: { slug: 'taken' },
  })
})

test('of ten identical concurrent requests exactly one creates the template', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, () => stage.campaigns.createEmailTemplate(stage.us, { name: 'R', slug: 'raced' })),
  )
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' })
})

test.each([
  ['name', { name: ' ', slug: 'a' }],
  ['name', { name: 'n'.repeat(161), slug: 'a' }],
  ['name', { name: 'a\u0000', slug: 'a' }],
  ['slug', { name: 'A', slug: 'Not A Slug' }],
  ['slug', { name: 'A', slug: '-a' }],
  ['slug', { name: 'A', slug: '' }],
  ['description', { name: 'A', slug: 'a', description: 'd'.repeat(501) }],
])('the error of bad input names the field %s', async (field, request) => {
  await expect(stage.campaigns.createEmailTemplate(stage.us, request)).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: field,
  })
})
