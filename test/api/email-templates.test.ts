import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { campaignsServices } from './campaigns-services.ts'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'

let gateway: GatewayStage
let analyst: Browser
beforeAll(async () => {
  gateway = await gatewayStage({}, campaignsServices)
  analyst = await signIn(gateway, 'analyst')
})
afterAll(() => gateway.close())

const product = newsletter.replace('newsletter', 'product')
const console_ = newsletter.replace('/api/v1', '/console/api')
const post = (path: string, body?: unknown, as = 'editor') =>
  gateway.call('POST', `${newsletter}${path}`, { as, ...(body === undefined ? {} : { body }) })
const look = (path: string) => analyst.call('GET', `${console_}${path}`)

async function template(): Promise<string> {
  const { json } = await post('/email-templates', { name: 'Welcome', slug: `welcome-${randomUUID()}` })
  return (json['email_template'] as { id: string }).id
}
async function version(templateId: string, body: object = {}) {
  const answer = await post(`/email-templates/${templateId}/versions`, { subject: 'Hi', html: '<p>x</p>', ...body })
  return { ...answer, made: answer.json['content_version'] as Record<string, unknown> & { id: string } }
}

describe('archiving a template', () => {
  test('an empty body archives, `archived: false` restores, and a repeat answers the same', async () => {
    const id = await template()
    const archive = (body?: unknown) => post(`/email-templates/${id}/archive`, body)
    for (const [body, archived] of [
      [undefined, true],
      [{}, true],
      [{ archived: false }, false],
      [{ archived: false }, false],
      [{ archived: true }, true],
    ] as const) {
      const { status, json } = await archive(body)
      expect({ body, status, json }).toEqual({ body, status: 200, json: { email_template: { id, archived } } })
    }
    const wrong = await archive({ archived: 'yes' })
    expect([wrong.status, wrong.text.includes('archived')]).toEqual([422, true])
  })

  test('is for users who may edit content, and only in their own workspace', async () => {
    const id = await template()
    const path = `/email-templates/${id}/archive`
    expect((await post(path, {}, 'analyst')).status).toBe(403)
    expect((await gateway.call('POST', `${product}${path}`, { as: 'owner', body: {} })).status).toBe(404)
    expect((await post('/email-templates/no-id/archive', {})).status).toBe(404)
    expect((await look(`/email-templates/${id}`)).json['email_template']).toMatchObject({ archived: false })
  })

  test('the slug stays taken and new versions are allowed', async () => {
    const slug = `kept-${randomUUID()}`
    const { json } = await post('/email-templates', { name: 'A', slug })
    const { id } = json['email_template'] as { id: string }
    await post(`/email-templates/${id}/archive`)
    expect((await post('/email-templates', { name: 'B', slug })).status).toBe(409)
    expect((await version(id)).status).toBe(200)
  })
})

describe('at the console', () => {
  test('templates are listed with their state and number of versions', async () => {
    const ids = [await template(), await template(), await template()]
    await version(ids[0]!)
    await post(`/email-templates/${ids[1]!}/archive`)
    const first = await look('/email-templates?limit=2')
    expect(first.status).toBe(200)
    const second = await look(`/email-templates?limit=2&cursor=${String(first.json['next_cursor'])}`)
    const listed = [first, second].flatMap(({ json }) => json['email_templates'] as Record<string, unknown>[])
    expect(listed.slice(0, 3).map((one) => [one['id'], one['archived'], one['content_versions']])).toEqual([
      [ids[2], false, 0],
      [ids[1], true, 0],
      [ids[0], false, 1],
    ])
  })

  test('a template shows its versions, and a version shows its prepared content, only as JSON text', async () => {
    const id = await template()
    const { made } = await version(id, {
      html: '<p onclick="x">Hi {{ first_name }}</p><script>alert(1)</script>',
      personalization_defaults: { first_name: 'friend' },
    })
    const one = await look(`/email-templates/${id}`)
    expect(one.json['content_versions']).toEqual([
      expect.objectContaining({
        id: made.id,
        version: 1,
        subject: 'Hi',
        review_warnings: ['unsubscribe_link_missing'],
      }),
    ])
    expect(one.json['next_cursor']).toBeNull()
    const { status, headers, json } = await look(`/content-versions/${made.id}`)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(json['content_version']).toEqual({
      id: made.id,
      template_id: id,
      version: 1,
      subject: 'Hi',
      preheader: null,
      sanitized_html: '<p>Hi {{ first_name }}</p>',
      plain_text: 'Hi {{ first_name }}',
      personalization_defaults: { first_name: 'friend' },
      validation: made['validation'],
      created_by: expect.any(String),
      created_at: expect.any(String),
    })
  })

  test('a version is shown as a reader gets it, with links that do nothing, and with sample values, its defaults, or the values of a contact', async () => {
    const id = await template()
    const { made } = await version(id, {
      subject: 'For {{ first_name }}',
      html: '<p>Hi {{ first_name }} of {{ town }}</p><a href="{{ unsubscribe_url }}">Leave</a>',
      personalization_defaults: { first_name: 'friend' },
    })
    const path = `/content-versions/${made.id}`
    const email = `${randomUUID()}@example.com`
    const { json } = await post('/contacts/upsert', { email, first_name: 'Eve <b>', source: 'form' })
    const { id: contactId } = json['contact'] as { id: string }
    const html = (of: string) => `<p>Hi ${of}</p><a href="#">Leave</a>`
    for (const [query, subject, content] of [
      ['', 'For {{ first_name }}', '<p>Hi {{ first_name }} of {{ town }}</p><a href="{{ unsubscribe_url }}">Leave</a>'],
      ['?values=sample', 'For Ada', html('Ada of [town]')],
      ['?values=defaults', 'For friend', html('friend of ')],
      [`?contact_id=${contactId}`, 'For Eve <b>', html('Eve &lt;b&gt; of ')],
    ] as const) {
      const rendered = await look(`${path}/rendered${query}`)
      expect([query, rendered.status, rendered.json]).toEqual([
        query,
        200,
        { subject, html: content, plain_text: expect.any(String) },
      ])
      const page = await look(`${path}/preview${query}`)
      expect([page.status, page.text.replace(/^<style>[^<]*<\/style>/, '')]).toEqual([
        200,
        `<base target="_blank">${content}`,
      ])
    }
    expect((await look(`${path}/rendered?contact_id=${randomUUID()}`)).status).toBe(404)
    expect((await look(`${path}/rendered?contact_id=no-id`)).status).toBe(422)
    expect((await look(`${path}/preview?values=all`)).status).toBe(422)
  })

  test('templates of another workspace look like missing ones, and an invalid page is 422', async () => {
    const id = await template()
    const { made } = await version(id)
    const owner = await signIn(gateway, 'owner')
    const elsewhere = console_.replace('newsletter', 'product')
    for (const path of [
      `/email-templates/${id}`,
      `/content-versions/${made.id}`,
      `/content-versions/${made.id}/rendered`,
    ])
      expect((await owner.call('GET', `${elsewhere}${path}`)).status).toBe(404)
    for (const path of ['/email-templates/no-id', '/content-versions/no-id'])
      expect((await look(path)).status).toBe(404)
    for (const path of ['/email-templates?limit=0', '/email-templates?cursor=x', `/email-templates/${id}?cursor=x`])
      expect((await look(path)).status).toBe(422)
  })
})

describe('a content version over HTTP', () => {
  test('accepts up to 2 MiB and no more', async () => {
    const id = await template()
    const html = `<p>${'word '.repeat(400_000)}</p>`
    // On a busy machine the largest content may take longer than the gateway waits.
    const answered = <T extends { status: number }>(send: () => Promise<T>) =>
      until(async () => {
        const answer = await send()
        return answer.status !== 503 && answer
      })
    const large = await answered(() => version(id, { html }))
    expect([large.status, (large.made['validation'] as Record<string, unknown>)['review_warnings']]).toEqual([
      200,
      ['unsubscribe_link_missing', 'size_over_100_kb'],
    ])
    expect((await version(id, { html: 'x'.repeat(2_097_152) })).status).toBe(413)
    const { json } = await answered(() => look(`/content-versions/${large.made.id}`))
    expect((json['content_version'] as { sanitized_html: string }).sanitized_html).toHaveLength(2_000_007)
  })

  test('a misplaced token is 422 on html and stores nothing', async () => {
    const id = await template()
    const { status, text } = await version(id, { html: '<a href="{{ link }}">x</a>' })
    expect([status, text.includes('html has'), text.includes('address of a link')]).toEqual([422, true, true])
    expect((await look(`/email-templates/${id}`)).json['content_versions']).toEqual([])
  })
})
