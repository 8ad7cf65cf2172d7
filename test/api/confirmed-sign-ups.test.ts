import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { GateChangedSchema } from '@lettergate/contracts/events/v1/events'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { newsletter } from '@lettergate/gateway/test/gateway-stage'
import { audience, isEligible } from '@lettergate/gateway/test/people-and-senders'
import { consoleNewsletter, credentialedSource, handIn, signUp } from '@lettergate/gateway/test/subscription-sources'
import { until } from '@lettergate/stage'
import { testingStage, type ApiTestingStage } from './testing-services.ts'

/** Confirmed opt-in over HTTP: the sign-up, the email at the provider, its link, and the page with the button. */

let gateway: ApiTestingStage
let admin: Browser
let audienceId: string
let contentVersionId: string
let source: Awaited<ReturnType<typeof credentialedSource>>

beforeAll(async () => {
  gateway = await testingStage({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
  admin = await signIn(gateway, 'admin')
  audienceId = await audience(gateway)
  contentVersionId = await content('<p>Hi {{ first_name }}, <a href="{{ confirmation_url }}">confirm</a></p>')
  await gateway.stage.query('update sending.sender_identities set is_enabled = true, enabled_at = now()')
  await gateway.stage.query(
    `update identity.workspaces set production_sending_enabled = true where slug = 'newsletter'`,
  )
  await setGate(true)
  source = await credentialedSource(admin)
  expect((await admin.call('PUT', confirmationOf(source.slug), { body: email() })).status).toBe(200)
})
afterAll(() => gateway.close())

const confirmationOf = (slug: string) => `${consoleNewsletter}/subscription-sources/${slug}/confirmation`
const email = () => ({ sender_identity_id: gateway.senderId, content_version_id: contentVersionId })
/** Workers hear of it, or ask again after a second. Until then an email may go out as before. */
async function setGate(isOpen: boolean): Promise<void> {
  const name = 'production_sending_enabled'
  await gateway.stage.query('update identity.platform_gates set stored = $1 where name = $2', [isOpen, name])
  await gateway.stage.publish('gateway', GateChangedSchema, { name, effective: isOpen })
  await sleep(1_500)
}

async function content(html: string): Promise<string> {
  const made = async (path: string, body: object) =>
    (await gateway.call('POST', `${newsletter}${path}`, { as: 'owner', body })).json as Record<string, { id: string }>
  const { email_template } = await made('/email-templates', { name: 'Confirm', slug: `c-${randomUUID()}` })
  const versions = `/email-templates/${email_template!.id}/versions`
  return (await made(versions, { subject: 'Please confirm', html })).content_version!.id
}

async function register(address: string): Promise<Record<string, unknown>> {
  const body = signUp(audienceId)
  body.contact = { email: address, first_name: 'Ada' }
  const { status, json } = await handIn(gateway, source.slug, { token: source.credential, body })
  expect(status).toBe(200)
  return json as Record<string, unknown>
}

const messagesTo = async (address: string) =>
  ((await gateway.sim('GET', `/messages?to=${encodeURIComponent(address)}`)) as { messages: Record<string, string>[] })
    .messages
const linkIn = (html: string) => new URL(/href="([^"]+\/confirmations\/[^"]+)"/.exec(html)![1]!).pathname
const contactOf = async (address: string) =>
  (
    (await gateway.call('GET', `${newsletter}/contacts/lookup?email=${encodeURIComponent(address)}`, { as: 'analyst' }))
      .json['contact'] as { id: string }
  ).id

async function emailTo(address: string): Promise<Record<string, string>> {
  await until(async () => (await messagesTo(address)).length > 0, { what: 'the confirmation email' })
  return (await messagesTo(address))[0]!
}

test('a sign-up is confirmed by the button of the page that its email links to, and by nothing else', async () => {
  const address = `ada.${randomUUID().slice(0, 8)}+silent@example.org`
  expect(await register(address)).toMatchObject({
    status: 'review_required',
    reason_class: 'confirmation_pending',
    audience_membership_active: false,
  })
  const contactId = await contactOf(address)
  const { html, headers } = await emailTo(address)
  expect(html).toContain('Hi Ada')
  expect(JSON.stringify(headers)).toContain('List-Unsubscribe')
  const link = linkIn(html!)
  for (const method of ['GET', 'HEAD']) expect((await gateway.call(method, link)).status).toBe(200)
  expect(await isEligible(gateway, contactId, audienceId)).toBe(false)
  const page = await gateway.call('GET', link)
  expect(page.text).toContain('<form method="post"')
  expect(page.text).not.toContain(address)
  expect((await gateway.call('POST', link)).json).toEqual({ confirmed: true, state: 'confirmed' })
  expect(await isEligible(gateway, contactId, audienceId)).toBe(true)
  const after = await gateway.call('POST', link, { headers: { accept: 'text/html' } })
  expect(after.text).toContain('Your subscription is confirmed')
  await register(address)
  expect(await messagesTo(address)).toHaveLength(1)
})

test('a forged link is 400, and a page of the wrong method 405', async () => {
  expect((await gateway.call('GET', '/confirmations/k1.AAAA.BBBB')).status).toBe(400)
  expect((await gateway.call('POST', '/confirmations/k1.AAAA.BBBB')).status).toBe(400)
  expect((await gateway.call('DELETE', '/confirmations/k1.AAAA.BBBB')).status).toBe(405)
})

test('no email goes out while the production gate is closed, and one goes out after it opens', async () => {
  await setGate(false)
  const address = `gate.${randomUUID().slice(0, 8)}+silent@example.org`
  await register(address)
  const contactId = await contactOf(address)
  const rows = () =>
    gateway.stage.query<{ is_waiting: boolean; tries: boolean }>(
      'select is_waiting, due_at > now() + $2::interval as tries from campaigns.confirmation_emails where contact_id = $1',
      [contactId, '5 seconds'],
    )
  await until(async () => (await rows())[0]?.tries === true, { what: 'the email to be held' })
  expect(await messagesTo(address)).toEqual([])
  await setGate(true)
  await until(
    async () => {
      await gateway.stage.query('update campaigns.confirmation_emails set due_at = now() where is_waiting')
      return (await messagesTo(address)).length > 0
    },
    { what: 'the email after the gate opened' },
  )
  expect(await rows()).toMatchObject([{ is_waiting: false }])
})

test('a person who left by the link of the email, or whose sign-up expired, is not sent anything more', async () => {
  const left = `left.${randomUUID().slice(0, 8)}+silent@example.org`
  await register(left)
  const { html, headers } = await emailTo(left)
  const oneClick = /<([^>]+one-click[^>]+)>/.exec(JSON.stringify(headers))![1]!
  expect((await gateway.call('POST', new URL(oneClick).pathname)).status).toBe(200)
  expect((await gateway.call('POST', linkIn(html!))).json).toEqual({ confirmed: false, state: 'withdrawn' })

  await setGate(false)
  const late = `late.${randomUUID().slice(0, 8)}+silent@example.org`
  await register(late)
  const contactId = await contactOf(late)
  await gateway.stage.query('update contacts.signup_confirmations set expires_at = now() where contact_id = $1', [
    contactId,
  ])
  await setGate(true)
  await until(
    async () => {
      await gateway.stage.query('update campaigns.confirmation_emails set due_at = now() where is_waiting')
      const ends = await gateway.stage.query(
        `select f.reasons from campaigns.message_facts f join campaigns.confirmation_emails e on e.id = f.message_id
          where e.contact_id = $1 and f.fact = 'skipped'`,
        [contactId],
      )
      return JSON.stringify(ends) === JSON.stringify([{ reasons: ['confirmation_ended'] }])
    },
    { what: 'the email to end' },
  )
  expect(await messagesTo(late)).toEqual([])
})

test('a hard bounce of the email suppresses the contact, so that the sign-up cannot be confirmed', async () => {
  const address = `gone.${randomUUID().slice(0, 8)}+hardbounce@example.org`
  await register(address)
  const { html } = await emailTo(address)
  await until(async () => (await gateway.call('GET', linkIn(html!))).text.includes('cannot be confirmed'), {
    what: 'the suppression',
  })
  expect((await gateway.call('POST', linkIn(html!))).json).toEqual({ confirmed: false, state: 'refused' })
})

test('only a sender and a content version that can ask for a confirmation can be set', async () => {
  const url = confirmationOf((await credentialedSource(admin)).slug)
  const set = async (more: object) => {
    const { status, headers } = await admin.call('PUT', url, { body: { ...email(), ...more } })
    return [status, headers.get('x-error-reason')]
  }
  expect(await set({ content_version_id: gateway.contentVersionId })).toEqual([422, 'confirmation_link_missing'])
  expect(await set({ content_version_id: randomUUID() })).toEqual([422, 'invalid_content_version_id'])
  expect(await set({ sender_identity_id: randomUUID() })).toEqual([422, 'invalid_sender_identity_id'])
  expect((await admin.call('GET', url)).json).toEqual({ confirmation: null })
  expect(await set({})).toEqual([200, null])
  expect((await admin.call('GET', url)).json).toEqual({ confirmation: email() })
  expect((await admin.call('DELETE', url)).json).toEqual({ deleted: true })
  expect((await admin.call('GET', url)).json).toEqual({ confirmation: null })
})

test('content of a confirmation email is refused for a campaign', async () => {
  const body = { name: 'Wrong', audience_id: audienceId, ...email() }
  const drafted = await gateway.call('POST', `${newsletter}/campaign-drafts`, { as: 'editor', body })
  expect([drafted.status, drafted.headers.get('x-error-reason')]).toEqual([422, 'content_for_confirmations'])
})

test('a sender of confirmation emails cannot be deleted', async () => {
  const { status, text } = await admin.call('DELETE', `${consoleNewsletter}/sender-identities/${gateway.senderId}`)
  expect(status).toBe(422)
  expect(text).toContain(source.slug)
})
