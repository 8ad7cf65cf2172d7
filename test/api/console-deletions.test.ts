import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { automationsServices } from './automations-services.ts'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, contact, readySender, subscriber } from '@lettergate/gateway/test/people-and-senders'

const inConsole = (organization: string, workspace: string) =>
  `/console/api/organizations/${organization}/workspaces/${workspace}`
const consoleNewsletter = inConsole('acme', 'newsletter')

let gateway: GatewayStage
let admin: Browser
beforeAll(async () => {
  gateway = await gatewayStage({}, automationsServices)
  admin = await signIn(gateway, 'admin')
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
})
afterAll(() => gateway.close())

const remove = (path: string, browser = admin) => browser.call('DELETE', `${consoleNewsletter}${path}`)
const post = async (path: string, body: object) => {
  const { status, json, text } = await gateway.call('POST', `${newsletter}${path}`, { as: 'owner', body })
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`)
  return json as Record<string, { id: string }>
}
const exists = async (table: string, id: string) =>
  (await gateway.stage.query(`select 1 from contacts.${table} where id = $1`, [id])).length === 1

describe('an audience', () => {
  test('is deleted, and no list or address has it afterwards', async () => {
    const id = await audience(gateway)
    await subscriber(gateway, id)
    const { status, json } = await remove(`/audiences/${id}`)
    expect([status, json]).toEqual([200, { deleted: true }])
    expect((await gateway.call('GET', `${newsletter}/audiences/${id}`, { as: 'owner' })).status).toBe(404)
    expect((await remove(`/audiences/${id}`)).status).toBe(404)
  })

  test('is kept while the draft of a campaign uses it, and the refusal names the campaign', async () => {
    const id = await audience(gateway)
    await readySender(gateway, newsletter)
    const [sender] = await gateway.stage.query<{ id: string }>('select id from sending.sender_identities limit 1')
    const { email_template: template } = await post('/email-templates', {
      name: 'T',
      slug: `t-${randomUUID().slice(0, 8)}`,
    })
    const { content_version: content } = await post(`/email-templates/${template!.id}/versions`, {
      subject: 'Hello',
      html: '<p>Hi <a href="{{ unsubscribe_url }}">leave</a></p>',
    })
    const { campaign } = await post('/campaign-drafts', {
      name: 'Campaign of May',
      audience_id: id,
      sender_identity_id: sender!.id,
      content_version_id: content!.id,
    })
    const { status, text } = await remove(`/audiences/${id}`)
    expect(status).toBe(422)
    for (const word of ['Campaign of May', campaign!.id]) expect(text).toContain(word)
    expect(await exists('audiences', id)).toBe(true)
  })
})

describe('a contact', () => {
  test('with nothing but consent is deleted, and its record stays', async () => {
    const { contactId } = await subscriber(gateway, await audience(gateway))
    const { status, json } = await remove(`/contacts/${contactId}`)
    expect([status, json]).toEqual([200, { deleted: true }])
    expect(await exists('contacts', contactId)).toBe(false)
    const record = await gateway.stage.query('select kind from contacts.consent_events where contact_id = $1', [
      contactId,
    ])
    expect(record).toEqual([{ kind: 'granted' }])
    expect((await remove(`/contacts/${contactId}`)).status).toBe(404)
  })

  test('with a suppression is kept, also when it is resolved', async () => {
    const id = await contact(gateway)
    const made = await gateway.call('POST', `${newsletter}/contacts/${id}/suppress`, {
      as: 'owner',
      body: { scope: 'workspace', reason: 'manual' },
    })
    const suppressionId = made.json['suppression_id'] as string
    expect((await remove(`/contacts/${id}`)).status).toBe(422)
    await post(`/suppressions/${suppressionId}/resolve`, { resolution_reason: 'a mistake' })
    const { status, text } = await remove(`/contacts/${id}`)
    expect([status, text]).toEqual([422, expect.stringContaining(`a suppression of workspace scope, ${suppressionId}`)])
    expect(await exists('contacts', id)).toBe(true)
  })

  test('with a message of any run is kept, and the refusal names the run', async () => {
    const id = await contact(gateway)
    const runId = randomUUID()
    await gateway.stage.query(
      `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
       select id, $1, $2, 0, $3, $1, 'somebody@b.test' from identity.workspaces where slug = 'newsletter'`,
      [randomUUID(), runId, id],
    )
    const { status, text } = await remove(`/contacts/${id}`)
    expect([status, text]).toEqual([422, expect.stringContaining(runId)])
    expect(await exists('contacts', id)).toBe(true)
  })
})

describe.each([
  ['audiences', 'manage_audiences', () => audience(gateway)],
  ['contacts', 'delete_contacts', () => contact(gateway)],
] as const)('deleting from %s', (table, capability, make) => {
  test('takes a browser session with its token and the right capability', async () => {
    const id = await make()
    const path = `${consoleNewsletter}/${table}/${id}`
    expect((await gateway.call('DELETE', path)).status).toBe(401)
    expect((await gateway.call('DELETE', path, { as: 'owner' })).status).toBe(401)
    expect((await gateway.call('DELETE', path, { headers: { cookie: admin.cookie } })).status).toBe(403)
    for (const user of ['editor', 'analyst']) {
      const { status, text } = await remove(`/${table}/${id}`, await signIn(gateway, user))
      expect([status, text]).toEqual([403, expect.stringContaining(capability)])
    }
    expect(await exists(table, id)).toBe(true)
  })

  test('is the same 404 for a missing id, an invalid id and an id of another tenant', async () => {
    const outsider = await signIn(gateway, 'outsider')
    const id = await make()
    expect((await outsider.call('DELETE', `${consoleNewsletter}/${table}/${id}`)).status).toBe(404)
    expect((await outsider.call('DELETE', `${inConsole('globex', 'main')}/${table}/${id}`)).status).toBe(404)
    for (const other of [randomUUID(), 'no-id']) expect((await remove(`/${table}/${other}`)).status).toBe(404)
    expect(await exists(table, id)).toBe(true)
  })
})

test('nothing is deleted while a service with a precondition is down', async () => {
  const alone = await gatewayStage()
  try {
    const browser = await signIn(alone, 'admin')
    const [audienceId, contactId] = [await audience(alone), await contact(alone)]
    const refused = await Promise.all(
      [`/audiences/${audienceId}`, `/contacts/${contactId}`].map((path) =>
        browser.call('DELETE', `${consoleNewsletter}${path}`),
      ),
    )
    expect(refused.map((answer) => answer.status)).toEqual([503, 503])
    expect(await alone.stage.query('select 1 from contacts.audiences where id = $1', [audienceId])).toHaveLength(1)
    expect(await alone.stage.query('select 1 from contacts.contacts where id = $1', [contactId])).toHaveLength(1)
  } finally {
    await alone.close()
  }
})
