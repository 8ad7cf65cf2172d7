import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApi, type Api } from '@lettergate/demo/api'
import { messageTo, type Message } from '@lettergate/demo/inbox'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { runCampaign } from '@lettergate/demo/run-campaign'
import { signUp } from '@lettergate/demo/sign-up'
import { verifyConsent } from '@lettergate/demo/verify-consent'
import { openConstellation, type Constellation } from './constellation.ts'

/** One contact, from a form on a website to the consent proof. One of two replicas of contacts-consent stops during the test. */

const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
const atConsole = '/console/api/organizations/acme/workspaces/newsletter'
const origin = 'https://www.acme.test'
const email = 'robin.of-the-form@example.com'

let all: Constellation
let api: Api
let operator: Api
let form: Api
let senderId: string
let audienceId: string
let contactId: string
let directory: string

interface Taken {
  status: string
  receipt_id: string
  reason_class: string | null
  original_status: string | null
  audience_membership_active: boolean
}
interface Proof {
  events: { event: Record<string, unknown> }[]
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'lettergate-proof-'))
  all = await openConstellation({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
  api = all.as('owner')
  ;({ senderId } = await prepareSending(api, workspace, { base_url: all.baseUrl }, () => undefined))
  operator = await all.inBrowser('admin')
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'News',
    slug: 'news',
    purpose: 'test',
  })
  audienceId = audience.id
  const { credential } = await operator.ok<{ credential: string }>('POST', `${atConsole}/subscription-sources`, {
    slug: 'website',
    display_name: 'Website',
    allowed_origins: [origin],
    allowed_audience_ids: [audienceId],
  })
  form = openApi(all.baseUrl, { authorization: `Bearer ${credential}` })
})
afterAll(async () => {
  await form.close()
  await all.close()
  rmSync(directory, { recursive: true, force: true })
})

const handIn = (body: object, key: string = randomUUID()) =>
  form.ok<Taken>('POST', `${workspace}/subscription-sources/website/events`, body, { 'idempotency-key': key })

const reasons = async () =>
  (
    await api.ok<{ eligibility: { reasons: string[] } }>(
      'GET',
      `${workspace}/contacts/${contactId}/eligibility/${audienceId}`,
    )
  ).eligibility.reasons

async function mail(round: number): Promise<{ included: number; message: Message }> {
  const run = await runCampaign({ api, workspace, round, print: () => undefined }, { audienceId, senderId })
  return { included: run.included_count, message: await messageTo({ provider_url: all.providerUrl }, email) }
}

const proofOf = (who: string) =>
  operator.ok<{ proof: Proof }>('GET', `${atConsole}/contacts/${who}/consent-proof`).then(({ proof }) => proof)

let firstMessage: Message

test('a sign-up that arrives eight times at once is accepted once, and the person receives the campaign', async () => {
  const body = signUp(audienceId, email, origin)
  const taken = await Promise.all(Array.from({ length: 8 }, () => handIn(body, 'one-press-of-the-button')))
  expect(taken.map(({ status }) => status).toSorted()).toEqual([
    'accepted',
    ...Array.from({ length: 7 }, () => 'duplicate'),
  ])
  expect(new Set(taken.map((one) => one.receipt_id)).size).toBe(1)

  const { contact } = await api.ok<{ contact: { id: string } }>('GET', `${workspace}/contacts/lookup?email=${email}`)
  contactId = contact.id
  expect(await reasons()).toEqual([])
  const { included, message } = await mail(1)
  expect(included).toBe(1)
  expect(message.subject).toContain('Robin')
  firstMessage = message
})

test('a contact that unsubscribed by one click is not subscribed again by the form, at any replica', async () => {
  const headers = Object.entries(firstMessage.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const oneClick = /<([^>]+)>/.exec(new Map(headers).get('list-unsubscribe')!)![1]!
  const pressed = await fetch(oneClick, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  })
  expect(pressed.status).toBe(200)
  await all.contactsReplicas[0]!.stop()

  expect(await handIn(signUp(audienceId, email, origin))).toMatchObject({
    status: 'suppressed',
    reason_class: 'suppressed_audience',
    audience_membership_active: false,
  })
  expect(await reasons()).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
})

test('an operator resolves the suppression, which does not subscribe the contact; the next sign-up does, and the person receives the campaign again', async () => {
  const { suppressions } = await operator.ok<{ suppressions: { id: string; reason: string }[] }>(
    'GET',
    `${atConsole}/suppressions?search=${email}`,
  )
  expect(suppressions.map(({ reason }) => reason)).toEqual(['unsubscribe'])
  await all
    .as('admin')
    .ok('POST', `${workspace}/suppressions/${suppressions[0]!.id}/resolve`, { resolution_reason: 'wrote to us' })
  expect(await reasons()).toEqual(['consent_withdrawn', 'not_subscribed'])

  expect(await handIn(signUp(audienceId, email, origin))).toMatchObject({
    status: 'accepted',
    reason_class: null,
    audience_membership_active: true,
  })
  expect(await reasons()).toEqual([])
  expect((await mail(2)).included).toBe(1)
  const { receipts } = await operator.ok<{ receipts: { status: string; contact_id: string }[] }>(
    'GET',
    `${atConsole}/subscription-sources/website/receipts`,
  )
  expect(receipts.map(({ status }) => status)).toEqual(['accepted', 'suppressed', 'accepted'])
  expect(receipts.every((receipt) => receipt.contact_id === contactId)).toBe(true)
})

test('the consent proof has every event and its actor, and a file without the withdrawal fails verification', async () => {
  const proof = await proofOf(contactId)
  const told = proof.events.map(({ event }) => [event['kind'], event['actor_kind']])
  expect(told).toEqual([
    ['granted', 'source'],
    ['withdrawn', 'recipient'],
    ['granted', 'source'],
    ['resolved', 'human'],
    ['granted', 'source'],
  ])
  const { keys } = await operator.ok<{ keys: { fingerprint: string }[] }>('GET', `${atConsole}/consent-proof-keys`)
  const check = (content: unknown) => {
    const file = join(directory, `${randomUUID()}.json`)
    writeFileSync(file, JSON.stringify(content))
    return verifyConsent(file, keys[0]!.fingerprint)
  }
  const intact = await check(proof)
  expect(intact).toMatchObject({ status: 0, output: expect.stringContaining('INTACT. Nothing was changed') })
  expect(intact.output).toContain('MAY be mailed, by event 5.')
  expect(intact.output).toContain('which is the key that you named')

  const without = await check({ ...proof, events: proof.events.toSpliced(1, 1) })
  expect(without.status).not.toBe(0)
  expect(without.output).toContain('Event number 2 of this contact was removed.')
})
