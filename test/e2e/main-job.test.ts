import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { until } from '@lettergate/stage'
import type { Api } from '@lettergate/demo/api'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { declaredMetrics, metricsTables, page, withTables } from '../../tools/metrics-page.ts'
import { openConstellation, type Constellation } from './constellation.ts'
import { everyProcess } from './every-process.ts'

const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
const hourMs = 3_600_000
let all: Constellation
let api: Api
let senderId: string

interface Run {
  id: string
  state: string
  included_count: number
  excluded_count: number
  sent_count: number
  failed_count: number
  exclusion_counts: Record<string, number>
}
interface Message {
  html: string
  text: string
  subject: string
  headers: Record<string, string>
}
type Report = Record<string, number> & {
  skip_reasons: Record<string, number>
  held_by: string | null
  events: Record<string, number>
}

beforeAll(async () => {
  all = await openConstellation({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true', DELIVERY_BATCH_SIZE: '2' })
  api = all.as('owner')
  ;({ senderId } = await prepareSending(api, workspace, { base_url: all.baseUrl }, () => undefined))
})
afterAll(() => all.close())

async function audienceOf(emails: readonly string[]) {
  const slug = `a-${randomUUID()}`
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: slug,
    slug,
    purpose: 'test',
  })
  const ids = new Map<string, string>()
  for (const email of emails) {
    const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
      email,
      first_name: `<b>${email.split('@')[0]}</b>`,
      source: 'test',
    })
    await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, {
      contact_id: contact.id,
      source: 'test',
      wording_version: '1',
    })
    ids.set(email, contact.id)
  }
  return { audienceId: audience.id, ids }
}

/** A run in an hour, see `begin`. */
async function scheduled(audienceId: string): Promise<Run> {
  const slug = `t-${randomUUID()}`
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: slug, slug },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    {
      subject: 'For {{ first_name }}',
      html: '<p>Hello {{ first_name }}</p><a href="{{ unsubscribe_url }}">leave</a>',
      personalization_defaults: { first_name: 'friend' },
    },
  )
  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: slug,
    audience_id: audienceId,
    sender_identity_id: senderId,
    content_version_id: content.id,
  })
  const { campaign_run: run } = await api.ok<{ campaign_run: Run }>(
    'POST',
    `${workspace}/campaign-drafts/${campaign.id}/schedule`,
    { scheduled_for: new Date(Date.now() + hourMs).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  return run
}

const stateOf = async (run: Run) =>
  (await api.ok<{ campaign_run: Run }>('GET', `${workspace}/campaign-runs/${run.id}`)).campaign_run.state
const reportOf = async (run: Run) =>
  (await api.ok<{ report: Report }>('GET', `${workspace}/campaign-runs/${run.id}/report`)).report
/** Lets a run begin, now that everything before it is done. */
const begin = (run: Run) =>
  all.stage.query('update campaigns.campaign_runs set scheduled_for = now() where id = $1', [run.id])
const finished = (run: Run) => until(async () => (await stateOf(run)) === 'completed', { what: 'the run to complete' })
const inbox = async (to: string) =>
  (
    (await (await fetch(`${all.providerUrl}/sim/messages?to=${encodeURIComponent(to)}`)).json()) as {
      messages: Message[]
    }
  ).messages

test('every accepted recipient is in exactly one of the four outcomes, and provider events become suppressions', async () => {
  const emails = [
    'plain@example.com',
    'hb+hardbounce@example.com',
    'sf+softfail@example.com',
    'ok+softthenok@example.com',
    'co+complain@example.com',
    'un+unsubscribe@example.com',
    'op+open@example.com',
    'cl+click@example.com',
    'si+silent@example.com',
  ]
  const { audienceId, ids } = await audienceOf(emails)
  const run = await scheduled(audienceId)
  expect(run).toMatchObject({ included_count: emails.length, excluded_count: 0 })
  await begin(run)
  await finished(run)
  const report = await until(async () => {
    const now = await reportOf(run)
    return (
      now.delivered === 6 &&
      now.hard_bounced === 1 &&
      now.soft_failed_only === 1 &&
      now.complained === 1 &&
      now.unsubscribes_attributed === 1 &&
      now.opened_recipients === 1 &&
      now.clicked_recipients === 1 &&
      now
    )
  })
  expect(report).toMatchObject({
    sent: 9,
    soft_failed_only: 1,
    no_terminal_event: 1,
    unknown: 0,
    failed: 0,
    skipped: 0,
  })
  expect(report.delivered! + report.hard_bounced! + report.soft_failed_only! + report.no_terminal_event!).toBe(
    report.sent,
  )

  const reasons = async (email: string) =>
    (
      await api.ok<{ eligibility: { reasons: string[] } }>(
        'GET',
        `${workspace}/contacts/${ids.get(email)}/eligibility/${audienceId}`,
      )
    ).eligibility.reasons
  await until(async () => (await reasons('hb+hardbounce@example.com')).includes('suppressed_workspace'))
  await until(async () => (await reasons('co+complain@example.com')).includes('suppressed_workspace'))
  await until(
    async () =>
      (await reasons('un+unsubscribe@example.com')).join() === 'suppressed_audience,consent_withdrawn,not_subscribed',
  )
  expect(await reasons('plain@example.com')).toEqual([])
})

test('a name with markup is escaped, the link works, and the RFC 8058 headers are there', async () => {
  const { audienceId } = await audienceOf(['markup@example.com'])
  const run = await scheduled(audienceId)
  await begin(run)
  await finished(run)
  const [message] = await inbox('markup@example.com')
  expect(message!.html).toContain('Hello &lt;b&gt;markup&lt;/b&gt;')
  expect(message!.subject).toBe('For <b>markup</b>')
  const headers = Object.fromEntries(
    Object.entries(message!.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  expect(headers['list-unsubscribe']).toMatch(new RegExp(`^<${all.baseUrl}/preferences/one-click/[^>]+>$`))
  expect(message!.html).toContain(`href="${all.baseUrl}/preferences/`)
})

test('a person who withdraws after the snapshot receives nothing from a run already scheduled', async () => {
  const { audienceId, ids } = await audienceOf(['stays@example.com', 'leaves@example.com'])
  const run = await scheduled(audienceId)
  await api.ok('POST', `${workspace}/audiences/${audienceId}/unsubscribe`, {
    contact_id: ids.get('leaves@example.com'),
  })
  await begin(run)
  await finished(run)
  expect(await inbox('leaves@example.com')).toEqual([])
  expect(await inbox('stays@example.com')).toHaveLength(1)
  expect(await reportOf(run)).toMatchObject({
    sent: 1,
    skipped: 1,
    skip_reasons: { suppressed_audience: 1, consent_withdrawn: 1, not_subscribed: 1 },
  })
})

test('a closed gate holds a run without sending, reports it, and the run continues when it opens', async () => {
  const { audienceId } = await audienceOf(['held@example.com'])
  const run = await scheduled(audienceId)
  const console = await all.inBrowser('owner')
  const gate = (enabled: boolean) =>
    console.ok('PUT', '/console/api/platform/gates/production_sending_enabled', { enabled })
  await gate(false)
  await begin(run)
  await until(async () => (await reportOf(run)).held_by === 'production_sending_enabled', {
    what: 'the run to be held',
  })
  expect(await inbox('held@example.com')).toEqual([])
  expect(await stateOf(run)).toBe('sending')
  await gate(true)
  await finished(run)
  expect(await inbox('held@example.com')).toHaveLength(1)
})

test('one address in one run receives one message, and a second schedule with the same key makes no second run', async () => {
  const { audienceId } = await audienceOf(['once@example.com', 'ONCE@Example.com', ' once@example.com '])
  const run = await scheduled(audienceId)
  expect(run.included_count).toBe(1)
  await begin(run)
  await finished(run)
  expect(await inbox('once@example.com')).toHaveLength(1)
})

test('objects of another workspace have the same answers as missing ones', async () => {
  const { audienceId, ids } = await audienceOf(['secret@example.com'])
  const run = await scheduled(audienceId)
  const outsider = all.as('outsider')
  const theirs = '/api/v1/organizations/globex/workspaces/main'
  const missing = '0198c0de-0000-7000-8000-000000000000'
  const withoutIds = (answer: { status: number; text: string }) => [
    answer.status,
    answer.text.replace(/[0-9a-f-]{36}/g, 'id'),
  ]
  const pairs: [string, string, string, unknown?][] = [
    ['GET', `/campaign-runs/${run.id}`, `/campaign-runs/${missing}`],
    ['GET', `/campaign-runs/${run.id}/report`, `/campaign-runs/${missing}/report`],
    [
      'GET',
      `/contacts/${ids.get('secret@example.com')}/eligibility/${audienceId}`,
      `/contacts/${missing}/eligibility/${missing}`,
    ],
    ['GET', '/contacts/lookup?email=secret@example.com', '/contacts/lookup?email=nobody@example.com'],
    [
      'POST',
      `/contacts/${ids.get('secret@example.com')}/suppress`,
      `/contacts/${missing}/suppress`,
      { scope: 'workspace', reason: 'manual' },
    ],
    [
      'POST',
      `/contacts/${ids.get('secret@example.com')}/preference-token`,
      `/contacts/${missing}/preference-token`,
      { scope: 'workspace' },
    ],
    [
      'POST',
      `/audiences/${audienceId}/unsubscribe`,
      `/audiences/${missing}/unsubscribe`,
      { contact_id: ids.get('secret@example.com') },
    ],
    [
      'POST',
      `/sender-identities/${senderId}/activate`,
      `/sender-identities/${missing}/activate`,
      { confirmation: 'ACTIVATE PRODUCTION SENDING' },
    ],
  ]
  for (const [method, foreign, absent, body] of pairs) {
    const [one, other] = [
      await outsider.call(method, theirs + foreign, body),
      await outsider.call(method, theirs + absent, body),
    ]
    expect([foreign, one.status]).toEqual([foreign, 404])
    expect(withoutIds(one)).toEqual(withoutIds(other))
  }
  expect((await outsider.call('GET', workspace)).status).toBe(404)
})

test('docs/observability.md lists every metric that the processes of an installation expose, and no other', async () => {
  const declared = await declaredMetrics(await everyProcess(all))
  const text = readFileSync(page, 'utf8')
  expect(withTables(text, metricsTables(declared))).toBe(text) // node test/e2e/write-metrics.ts
  for (const service of all.stage.services) expect(await service.metrics.metrics()).toMatch(/^# EOF$/m)
})
