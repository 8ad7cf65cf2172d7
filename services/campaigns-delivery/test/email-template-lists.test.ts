import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { nobody, openContent } from './content-stage.ts'

let stage: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => void (stage = await openContent()))
afterAll(() => stage.close())

const version = async (templateId: string, over: object = {}, caller = stage.us) => {
  const request = { templateId, subject: 'Hello', html: '<p>Hi <a href="{{ unsubscribe_url }}">leave</a></p>', ...over }
  return (await stage.campaigns.createContentVersion(caller, request)).contentVersion!
}
const faultOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('the list of templates', () => {
  test('contains every template of the workspace, newest first, page by page, with archived ones and version counts', async () => {
    const ids = []
    for (let n = 0; n < 5; n += 1) ids.push(await stage.template())
    await stage.template(stage.them)
    await version(ids[1]!)
    await version(ids[1]!)
    await stage.campaigns.archiveEmailTemplate(stage.us, { templateId: ids[2]! })

    const seen = []
    let cursor: string | undefined
    do {
      const page = await stage.campaigns.listEmailTemplates(stage.us, {
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      })
      expect(page.emailTemplates.length).toBeLessThanOrEqual(2)
      seen.push(...page.emailTemplates)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(seen.map(({ archived, contentVersions }) => [archived, contentVersions])).toEqual([
      [false, 0],
      [false, 0],
      [true, 0],
      [false, 2],
      [false, 0],
    ])
    expect(seen[0]).toMatchObject({ name: 'Email', createdBy: 'tester' })
    expect(seen[0]!.description).toBeUndefined()
  })

  test('is searched by a part of the name, and has only archived ones or only the others, page by page', async () => {
    const named = async (name: string, caller = stage.us) =>
      (await stage.campaigns.createEmailTemplate(caller, { name, slug: `search-${(count += 1)}` })).emailTemplate!.id
    let count = 0
    const first = await named('Spring SALE 50%')
    await named('Winter note')
    const second = await named('The sale is over')
    const old = await named('Old sale')
    await named('Sale of others', stage.them)
    await stage.campaigns.archiveEmailTemplate(stage.us, { templateId: old })
    const find = (request: object) => stage.campaigns.listEmailTemplates(stage.us, request)
    const idsOf = ({ emailTemplates }: Awaited<ReturnType<typeof find>>) => emailTemplates.map(({ id }) => id)

    expect(idsOf(await find({ search: ' Sale ' }))).toEqual([old, second, first])
    expect(idsOf(await find({ search: 'sale', archived: true }))).toEqual([old])
    const page = await find({ search: 'sale', archived: false, limit: 1 })
    expect(idsOf(page)).toEqual([second])
    const { nextCursor: cursor } = page
    expect(idsOf(await find({ search: 'sale', archived: false, cursor }))).toEqual([first])
    expect(idsOf(await find({ search: '50%' }))).toEqual([first])
    expect(idsOf(await find({ search: 's%e' }))).toEqual([])
  })

  test.each([
    ['search', { search: ' ' }],
    ['search', { search: 'x'.repeat(501) }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 201 }],
    ['cursor', { cursor: 'made-up' }],
  ])('the error of bad input names the field %s', async (field, request) => {
    expect(await faultOf(stage.campaigns.listEmailTemplates(stage.us, request))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })
})

describe('a template', () => {
  test('is returned with its versions by number, the latest first, page by page', async () => {
    const id = await stage.template()
    for (let n = 0; n < 5; n += 1) await version(id, { subject: `Number ${n + 1}` })
    await version(id, { html: '<script>x</script>' })
    const first = await stage.campaigns.getEmailTemplate(stage.us, { templateId: id, limit: 3 })
    expect(first.emailTemplate).toMatchObject({ id, archived: false, contentVersions: 6 })
    expect(first.contentVersions[0]).toMatchObject({
      version: 6,
      valid: false,
      unsubscribePresent: false,
      reviewWarnings: ['content_empty', 'unsubscribe_link_missing'],
    })
    expect(first.contentVersions[1]).toMatchObject({
      version: 5,
      subject: 'Number 5',
      valid: true,
      unsubscribePresent: true,
      reviewWarnings: [],
    })
    const rest = await stage.campaigns.getEmailTemplate(stage.us, { templateId: id, cursor: first.nextCursor! })
    expect(rest.contentVersions.map((one) => one.version)).toEqual([3, 2, 1])
    expect(rest.nextCursor).toBeUndefined()
  })

  test("a cursor of another template's versions is refused", async () => {
    const [mine, other] = [await stage.template(), await stage.template()]
    await version(mine)
    for (let n = 0; n < 2; n += 1) await version(other)
    const { nextCursor } = await stage.campaigns.getEmailTemplate(stage.us, { templateId: other, limit: 1 })
    const { contentVersions } = await stage.campaigns.getEmailTemplate(stage.us, {
      templateId: mine,
      cursor: nextCursor!,
    })
    expect(contentVersions).toEqual([])
  })

  test('a template of another tenant is not found', async () => {
    const theirs = await stage.template(stage.them)
    const answers = await Promise.all(
      [theirs, nobody, 'no-id'].map((templateId) =>
        faultOf(stage.campaigns.getEmailTemplate(stage.us, { templateId })),
      ),
    )
    for (const answer of answers)
      expect(answer).toMatchObject({ code: 'not_found', message: (answers[1] as Error).message })
  })
})

describe('a content version', () => {
  test('is returned as it would be sent, with the report for its author', async () => {
    const templateId = await stage.template()
    const made = await version(templateId, {
      html: '<p onclick="x">Hi {{ first_name }}</p><script>alert(1)</script>',
      preheader: 'Soon',
      personalizationDefaults: { first_name: 'friend' },
    })
    const { contentVersion } = await stage.campaigns.getContentVersion(stage.us, { contentVersionId: made.id })
    expect(contentVersion).toMatchObject({
      id: made.id,
      templateId,
      version: 1,
      subject: 'Hello',
      preheader: 'Soon',
      sanitizedHtml: '<p>Hi {{ first_name }}</p>',
      plainText: 'Hi {{ first_name }}',
      personalizationDefaults: { first_name: 'friend' },
      createdBy: 'tester',
    })
    expect(contentVersion!.validation).toEqual(made.validation)
    const bare = await version(templateId)
    const second = await stage.campaigns.getContentVersion(stage.us, { contentVersionId: bare.id })
    expect(second.contentVersion!.preheader).toBeUndefined()
  })

  test('is rendered with the values of a contact of this tenant only', async () => {
    const made = await version(await stage.template(), { html: '<p>Hi {{ first_name }}</p>' })
    const contactOf = async (caller: typeof stage.us) => {
      const request = { email: 'ada@example.com', firstName: 'Ada & co', source: 'form' }
      return (await stage.contacts.upsertContact(caller, request)).contact!.id
    }
    const render = (contactId: string) =>
      stage.campaigns.renderContentVersion(stage.us, { contentVersionId: made.id, contactId })
    expect(await render(await contactOf(stage.us))).toMatchObject({ html: '<p>Hi Ada &amp; co</p>' })
    expect(await faultOf(render(await contactOf(stage.them)))).toMatchObject({ code: 'not_found' })
  })

  test('a content version of another tenant is not found', async () => {
    const theirs = await stage.content(stage.them)
    const answers = await Promise.all(
      [theirs, nobody, 'no-id', ''].map((contentVersionId) =>
        faultOf(stage.campaigns.getContentVersion(stage.us, { contentVersionId })),
      ),
    )
    for (const contentVersionId of [theirs, 'no-id'])
      answers.push(await faultOf(stage.campaigns.renderContentVersion(stage.us, { contentVersionId })))
    for (const answer of answers)
      expect(answer).toMatchObject({ code: 'not_found', message: (answers[1] as Error).message })
  })
})
