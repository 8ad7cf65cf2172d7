import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi } from './api.ts'
import { arrived } from './inbox.ts'
import { reasonsOf, type Scene } from './scene.ts'
import { signUp } from './sign-up.ts'
import { openReceiver } from './signed-receiver.ts'
import type { ReportRow } from './table.ts'

/** An event about one person, as the webhook receiver of the workspace gets it. */
interface PersonEvent {
  type: string
  data: { contact_id?: string; consent?: string }
}

const origin = 'https://www.acme.test'

/**
 * A sign-up with confirmed opt-in: it counts after the person pressed the button of a page that one email links to. The workspace
 * has chosen events about people, so its webhook receives the consent, and the withdrawal after the person left.
 */
export async function confirmSignUp(scene: Scene, audienceId: string, senderId: string): Promise<ReportRow[]> {
  const { api, browser, workspace, atConsole, stack, round, print } = scene
  const receiver = await openReceiver<PersonEvent>('/people')
  await api.ok('PUT', `${workspace}/campaign-webhook`, {
    campaign_webhook_url: receiver.url,
    campaign_webhook_secret: receiver.secret,
  })
  await browser.ok('PUT', `${atConsole}/campaign-webhook/person-events`, { enabled: true })

  const slug = `confirmed-${round}`
  const source = `${atConsole}/subscription-sources`
  const { credential } = await browser.ok<{ credential: string }>('POST', source, {
    slug,
    display_name: 'Form with confirmation',
    allowed_origins: [origin],
    allowed_audience_ids: [audienceId],
  })
  await browser.ok('PUT', `${source}/${slug}/confirmation`, {
    sender_identity_id: senderId,
    content_version_id: await confirmationContent(scene),
  })
  const form = openApi(stack.base_url, { authorization: `Bearer ${credential}` })
  const email = `alex.r${round}@people.example.com`
  const event = signUp(audienceId, email, origin)
  const { json: answer } = await form.call('POST', `${workspace}/subscription-sources/${slug}/events`, event, {
    'idempotency-key': randomUUID(),
  })
  await form.close()
  const { contact } = await api.ok<{ contact: { id: string } }>(
    'GET',
    `${workspace}/contacts/lookup?email=${encodeURIComponent(email)}`,
  )
  const reasons = () => reasonsOf(scene, contact.id, audienceId)

  const emails = await arrived(stack, email)
  const link = /href="([^"]+\/confirmations\/[^"]+)"/.exec(emails[0]?.html ?? '')?.[1]
  if (!link) throw new Error(`no email with a link to confirm arrived for ${email}`)
  const page = await fetch(link)
  const opened = await reasons()
  print(
    `a sign-up waits (${String(answer['reason_class'])}); a mail scanner that opens the link of the email changes nothing`,
  )
  const pressed = (await (await fetch(link, { method: 'POST' })).json()) as { state: string }
  const confirmed = await reasons()
  print(`the person pressed the button of that page: ${pressed.state}`)

  const { preference_url: preferences } = await api.ok<{ preference_url: string }>(
    'POST',
    `${workspace}/contacts/${contact.id}/preference-token`,
    { scope: 'audience', audience_id: audienceId },
  )
  await fetch(preferences, { method: 'POST' })
  const left = await reasons()
  const told = await eventsAbout(receiver.accepted, contact.id, 3)
  print(`the webhook of the workspace received ${told.join(', ')}`)

  await browser.ok('PUT', `${atConsole}/campaign-webhook/person-events`, { enabled: false })
  await api.ok('PUT', `${workspace}/campaign-webhook`, { campaign_webhook_url: null, campaign_webhook_secret: null })
  receiver.close()
  return [
    { name: 'the sign-up', actual: answer['status'], expected: 'review_required' },
    { name: 'emails that ask for a confirmation', actual: emails.length, expected: 1 },
    { name: 'the page of its link', actual: page.status, expected: 200 },
    { name: 'eligibility after the link was opened', actual: opened.includes('confirmation_pending'), expected: true },
    { name: 'after the button was pressed', actual: pressed.state, expected: 'confirmed' },
    { name: 'reasons against this person then', actual: confirmed.length, expected: 0 },
    { name: 'after the person left', actual: left.includes('consent_withdrawn'), expected: true },
    ...['consent_changed: granted', 'consent_changed: withdrawn', 'unsubscribed'].map((name) => ({
      name: `events person.${name}`,
      actual: told.filter((one) => one === name).length,
      expected: 1,
    })),
    { name: 'with a wrong signature', actual: receiver.refused, expected: 0 },
  ]
}

/** Stores an email that links to the page with the button. Returns the id of the content version. */
async function confirmationContent({ api, workspace, round }: Scene): Promise<string> {
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: `Confirmation ${round}`, slug: `confirmation-${round}` },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    {
      subject: 'Please confirm your subscription',
      html: '<p>Somebody signed up with this address.</p><p><a href="{{ confirmation_url }}">Yes, it was me</a></p>',
    },
  )
  return content.id
}

/** The events about one person, without "person.". Waits until as many arrived as expected, at most two minutes. */
async function eventsAbout(accepted: readonly PersonEvent[], contactId: string, expected: number): Promise<string[]> {
  for (let tries = 0; ; tries += 1) {
    const found = accepted.filter(({ data }) => data.contact_id === contactId)
    if (found.length >= expected || tries === 600)
      return found.map(({ type, data }) =>
        [type.replace('person.', ''), ...(data.consent ? [data.consent] : [])].join(': '),
      )
    await sleep(200)
  }
}
