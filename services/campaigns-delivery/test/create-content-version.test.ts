import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { patiently } from '@lettergate/stage/patiently'
import { nobody, openContent } from './content-stage.ts'

let stage: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => void (stage = await openContent()))
afterAll(() => stage.close())

const request = (templateId: string, over: object = {}) => ({
  templateId,
  subject: 'Hi {{ first_name }}',
  html: '<p>Hi</p>',
  ...over,
})
const stored = async (id: string) =>
  (await stage.stage.query<Record<string, unknown>>('select * from campaigns.content_versions where id = $1', [id]))[0]!

test('a thread has loaded the parsers before the first content arrives', async () => {
  await until(async () => /^lettergate_content_threads\{.*\} 1$/m.test(await stage.metrics()))
})

test('only the sanitised copy is stored, and the author sees what was removed', async () => {
  const templateId = await stage.template()
  const { contentVersion } = await stage.campaigns.createContentVersion(
    stage.us,
    request(templateId, {
      html: '<p onclick="x" style="position:fixed;color:red">Hi {{first_name}}</p><script>alert(1)</script><a href="javascript:x">a</a><a href="{{ unsubscribe_url }}">leave</a>',
      preheader: 'Only today, {{ company }}',
      personalizationDefaults: { first_name: 'friend' },
    }),
  )
  expect(contentVersion).toMatchObject({ templateId, version: 1 })
  expect(contentVersion!.validation).toMatchObject({
    valid: true,
    links: 1,
    images: 0,
    missingDefaults: ['company'],
    reviewWarnings: [],
    plainTextGenerated: true,
    unsubscribePresent: true,
    stripped: { tags: ['script'], attributes: ['onclick'], cssProperties: ['position'], protocols: ['javascript'] },
  })
  expect(contentVersion!.validation!.tokens.toSorted()).toEqual(['company', 'first_name'])
  const row = await stored(contentVersion!.id)
  expect(row['sanitized_html']).toBe(
    '<p style="color:red">Hi {{first_name}}</p><a>a</a><a href="{{ unsubscribe_url }}">leave</a>',
  )
  expect(row).toMatchObject({
    plain_text: 'Hi {{first_name}}\n\naleave ({{ unsubscribe_url }})',
    personalization_defaults: { first_name: 'friend' },
    preheader: 'Only today, {{ company }}',
  })
  expect(JSON.stringify(row)).not.toContain('alert(1)')
})

test('an empty result is stored and marked as invalid', async () => {
  const { contentVersion } = await stage.campaigns.createContentVersion(
    stage.us,
    request(await stage.template(), { html: '<script>alert(1)</script>' }),
  )
  expect(contentVersion!.validation).toMatchObject({ valid: false, stripped: { tags: ['script'] } })
})

test('versions count up from 1 without gaps or duplicates, also with concurrent and refused requests', async () => {
  const templateId = await stage.template()
  const results = await Promise.allSettled(
    Array.from({ length: 16 }, (_, n) =>
      stage.campaigns.createContentVersion(stage.us, request(templateId, n % 4 === 0 ? { html: '<p {{ x }}>' } : {})),
    ),
  )
  const versions = results.flatMap((result) =>
    result.status === 'fulfilled' ? [result.value.contentVersion!.version] : [],
  )
  expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
})

test('of two versions that began with the same one, the second is refused, says who saved the first, and can follow it', async () => {
  const templateId = await stage.template()
  const append = (expectedVersion: number) =>
    stage.campaigns.createContentVersion(stage.us, request(templateId, { expectedVersion }))
  const saved = await Promise.allSettled([append(0), append(0)])
  expect(saved.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(append(0)).rejects.toMatchObject({
    code: 'conflict',
    reason: 'template_changed',
    message: expect.stringMatching(
      /^Version 1 of this template was saved by tester at \S+Z, and you began with no version\./,
    ),
  })
  expect((await append(1)).contentVersion).toMatchObject({ version: 2 })
  await expect(append(1)).rejects.toMatchObject({ message: expect.stringContaining('you began with version 1.') })
  expect((await append(2)).contentVersion).toMatchObject({ version: 3 })
})

test('other calls are answered while the largest content is sanitised', async () => {
  const templateId = await stage.template()
  const answered: string[] = []
  const html = '<p style="color:red">text text text text</p>'.repeat(45_000)
  const large = patiently(() =>
    stage.campaigns.createContentVersion(stage.us, request(templateId, { html }), { timeoutMs: 60_000 }),
  ).then(() => answered.push('large'))
  for (let n = 0; n < 10; n += 1) {
    await stage.campaigns.listEmailTemplates(stage.us, {})
    answered.push('list')
  }
  await large
  // on the event loop all but the first would wait for it
  expect(answered).toEqual([...Array.from({ length: 10 }, () => 'list'), 'large'])
})

test('an archived template accepts new versions', async () => {
  const templateId = await stage.template()
  await stage.campaigns.archiveEmailTemplate(stage.us, { templateId })
  await expect(stage.campaigns.createContentVersion(stage.us, request(templateId))).resolves.toMatchObject({
    contentVersion: { version: 1 },
  })
})

test('a version cannot be changed or deleted, not even by the administrator', async () => {
  const id = await stage.content()
  await expect(
    stage.stage.query(`update campaigns.content_versions set subject = 'x' where id = $1`, [id]),
  ).rejects.toThrow('never changed or removed')
  await expect(stage.stage.query('delete from campaigns.content_versions where id = $1', [id])).rejects.toThrow(
    'never changed or removed',
  )
  expect(await stored(id)).toMatchObject({ subject: 'Hello' })
})

test('a template of another tenant is not found', async () => {
  const theirs = await stage.template(stage.them)
  const answers = await Promise.all(
    [theirs, nobody, 'not-an-id'].map((id) =>
      stage.campaigns.createContentVersion(stage.us, request(id)).catch((error: unknown) => error),
    ),
  )
  for (const answer of answers)
    expect(answer).toMatchObject({ code: 'not_found', message: (answers[1] as Error).message })
  expect(await stage.stage.query('select 1 from campaigns.content_versions where template_id = $1', [theirs])).toEqual(
    [],
  )
})

test.each([
  ['subject', { subject: '' }],
  ['subject', { subject: 's'.repeat(301) }],
  ['html', { html: ' \n' }],
  ['html', { html: '<a href="{{ link }}">x</a>' }],
  ['html', { html: `<p>\u0000</p>` }],
  ['preheader', { preheader: 'p'.repeat(501) }],
  ['personalization_defaults', { personalizationDefaults: { first_name: 'x'.repeat(501) } }],
  ['plain_text', { plainText: 'a\u0000' }],
])('the error of bad input names the field %s, and no version is stored', async (field, over) => {
  const templateId = await stage.template()
  await expect(stage.campaigns.createContentVersion(stage.us, request(templateId, over))).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: field,
  })
  expect(
    await stage.stage.query('select latest_version from campaigns.email_templates where id = $1', [templateId]),
  ).toEqual([{ latest_version: 0 }])
})

test('a subject may have 300 characters, counted as users perceive them', async () => {
  const { contentVersion } = await stage.campaigns.createContentVersion(
    stage.us,
    request(await stage.template(), { subject: '😀'.repeat(300) }),
  )
  expect(contentVersion!.version).toBe(1)
})

test('defaults that would make a message too large are refused by name', async () => {
  const templateId = await stage.template()
  const tokens = Array.from({ length: 150 }, (_, index) => `t${index}`)
  const html = tokens.map((token) => `<p title="{{ ${token} }}">{{ ${token} }}</p>`).join('')
  const defaults = (length: number) => Object.fromEntries(tokens.map((token) => [token, 'x'.repeat(length)]))
  const create = (length: number) =>
    stage.campaigns.createContentVersion(
      stage.us,
      request(templateId, { html, plainText: 'x', personalizationDefaults: defaults(length) }),
    )
  expect((await create(300)).contentVersion!.version).toBe(1)
  await expect(create(400)).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'personalization_defaults',
    message: expect.stringContaining('100000 characters'),
  })
})
