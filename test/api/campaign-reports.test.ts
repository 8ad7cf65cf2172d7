import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { newsletter } from '@lettergate/gateway/test/gateway-stage'
import { reportsStage, type ReportsStage } from './reports-services.ts'

let gateway: ReportsStage
let analyst: Browser
let outsider: Browser
let owner: Browser
beforeAll(async () => {
  gateway = await reportsStage()
  analyst = await signIn(gateway, 'analyst')
  outsider = await signIn(gateway, 'outsider')
  owner = await signIn(gateway, 'owner')
})
afterAll(() => gateway.close())

const console_ = newsletter.replace('/api/v1', '/console/api')
const product = console_.replace('newsletter', 'product')
const globex = '/console/api/organizations/globex/workspaces/main'

interface Person {
  email: string
  state: string
  outcome: string | null
  reasons: string[]
}
const reportOf = async (runId: string) =>
  (await gateway.call('GET', `${newsletter}/campaign-runs/${runId}/report`, { as: 'analyst' })).json[
    'report'
  ] as Record<string, unknown>
const people = async (runId: string, query = '') => {
  const { status, json, text } = await analyst.call('GET', `${console_}/campaign-runs/${runId}/recipients${query}`)
  if (status !== 200) throw new Error(text)
  return json as { recipients: Person[]; next_cursor: string | null }
}
const csv = (runId: string, query = '', browser = analyst, workspace = console_) =>
  browser.call('GET', `${workspace}/campaign-runs/${runId}/recipients.csv${query}`)

/** anna delivered and opened, ben bounced, cleo failed temporarily, dora has no event, emil is skipped, finn failed. */
async function runWithOutcomes() {
  const names = ['anna', 'ben', 'cleo', 'dora', 'emil', 'finn']
  const { runId, messageIds } = await gateway.accepted(names.map((name) => `${name}@example.org`))
  await gateway.stage.query(
    `with were as (delete from campaigns.hand_offs where origin_id = $1 returning *)
     insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, state, reason, judged_at)
     select workspace_id, gen_random_uuid(), kind, origin_id, batch, ids, connection_id, domain_name, region, credential_env_key, became, why, judged_at
       from were, (values ($2::uuid[], 'accepted', null), ($3::uuid[], 'failed', 'status_400')) as parts (ids, became, why)`,
    [runId, messageIds.slice(0, 4), messageIds.slice(5)],
  )
  await gateway.stage.query(
    `insert into campaigns.message_facts (workspace_id, origin_id, message_id, fact, reasons)
     select workspace_id, run_id, id, 'skipped', array['suppressed_workspace', 'not_subscribed'] from campaigns.run_recipients where id = $1`,
    [messageIds[4]],
  )
  await gateway.sendEvent(messageIds[0]!, 'delivered')
  await gateway.sendEvent(messageIds[0]!, 'opened')
  await gateway.sendEvent(messageIds[1]!, 'failed', { severity: 'permanent', reason: 'bounce' })
  const soft = await gateway.sendEvent(messageIds[2]!, 'failed', { severity: 'temporary', reason: 'greylisted' })
  await until(async () => {
    const { events } = (await reportOf(runId)) as { events: Record<string, number> }
    return events['failed'] === 2 && events['opened'] === 1 && events['delivered'] === 1
  })
  return { runId, messageIds, soft }
}

test('the four outcomes sum to sent over HTTP, with rates of two decimals', async () => {
  const { runId } = await runWithOutcomes()
  expect(await reportOf(runId)).toMatchObject({
    sent: 4,
    delivered: 1,
    hard_bounced: 1,
    soft_failed_only: 1,
    no_terminal_event: 1,
    delivery_rate: 25,
    bounce_rate: 25,
    skipped: 1,
    failed: 1,
    skip_reasons: { suppressed_workspace: 1, not_subscribed: 1 },
    unsubscribes_attributed: 0,
  })
  const { json } = await analyst.call('GET', `${console_}/campaign-runs`)
  expect(json['campaign_runs']).toMatchObject([
    { id: runId, sent_count: 4, delivered: 1, hard_bounced: 1, opened_recipients: 1, complained: 0 },
  ])
  const { runId: silent } = await gateway.accepted(['a', 'b', 'c', 'd'].map((name) => `${name}@example.net`))
  await gateway.stage.query(`update campaigns.campaign_runs set started_at = null where id = $1`, [silent])
  await gateway.stage.query(`update campaigns.hand_offs set state = 'unknown' where origin_id = $1`, [silent])
  expect(await reportOf(silent)).toMatchObject({
    sent: 0,
    unknown: 4,
    delivery_rate: null,
    bounce_rate: null,
    unsubscribes_attributed: null,
  })
})

describe('the recipients of a run', () => {
  test('are found by state, outcome, reason and the beginning of the address', async () => {
    const { runId } = await runWithOutcomes()
    const named = async (query: string) =>
      (await people(runId, query)).recipients.map(({ email }) => email.split('@')[0])
    expect(await named('')).toEqual(['anna', 'ben', 'cleo', 'dora', 'emil', 'finn'])
    for (const [query, expected] of [
      ['?state=delivered', ['anna']],
      ['?state=hard_bounced', ['ben']],
      ['?state=soft_failed', ['cleo']],
      ['?state=accepted', ['dora']],
      ['?state=skipped', ['emil']],
      ['?state=failed', ['finn']],
      ['?state=pending', []],
      ['?state=claimed', []],
      ['?state=unknown', []],
      ['?outcome=delivered', ['anna']],
      ['?outcome=hard_bounced', ['ben']],
      ['?outcome=soft_failed_only', ['cleo']],
      ['?outcome=no_terminal_event', ['dora']],
      ['?reason=not_subscribed', ['emil']],
      ['?reason=status_400', ['finn']],
      ['?reason=manual', []],
      ['?search=An', ['anna']],
      ['?search=%25', []],
      ['?search=e&state=skipped', ['emil']],
    ] as const)
      expect([query, await named(query)]).toEqual([query, expected])
    const all = (await people(runId)).recipients
    expect(all.map(({ state }) => state)).toEqual([
      'delivered',
      'hard_bounced',
      'soft_failed',
      'accepted',
      'skipped',
      'failed',
    ])
    expect(all[4]).toMatchObject({ outcome: null, reasons: ['suppressed_workspace', 'not_subscribed'] })
  })

  test('come in pages, each once', async () => {
    const { runId } = await gateway.accepted(Array.from({ length: 7 }, (_, n) => `p${n}@example.org`))
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await people(runId, `?limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
      seen.push(...page.recipients.map(({ email }) => email))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `p${n}@example.org`))
  })

  test.each(['state=bounced', 'outcome=opened', 'limit=201', 'cursor=x', 'search=', 'reason='])(
    'are refused for %s, naming it, as a list and as a file',
    async (query) => {
      const { runId } = await gateway.accepted(['anna@example.org'])
      const answers = [await analyst.call('GET', `${console_}/campaign-runs/${runId}/recipients?${query}`)]
      if (!/limit|cursor/.test(query)) answers.push(await csv(runId, `?${query}`))
      for (const { status, text } of answers) {
        expect(status).toBe(422)
        expect(text).toContain(query.split('=')[0])
      }
    },
  )

  test('of another workspace and of a missing run are 404', async () => {
    const { runId } = await gateway.accepted(['anna@example.org'])
    for (const route of ['recipients', 'recipients.csv', 'timeline']) {
      for (const [browser, workspace, id] of [
        [outsider, globex, runId],
        [owner, product, runId],
        [analyst, console_, randomUUID()],
        [analyst, console_, 'no-id'],
      ] as const)
        expect((await browser.call('GET', `${workspace}/campaign-runs/${id}/${route}`)).status).toBe(404)
      expect((await gateway.call('GET', `${console_}/campaign-runs/${runId}/${route}`)).status).toBe(401)
    }
  })
})

describe('the export', () => {
  test('has every recipient that matches the filters, over many pages', async () => {
    const emails = Array.from({ length: 2_345 }, (_, n) => `p${String(n).padStart(4, '0')}@example.org`)
    const { runId } = await gateway.accepted(emails)
    const { status, headers, text } = await csv(runId)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(headers.get('content-disposition')).toBe(`attachment; filename="recipients-${runId}.csv"`)
    const lines = text.trimEnd().split('\r\n')
    expect(lines[0]).toMatch(/^email,state,outcome,reasons,handed_off_at,/)
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(emails)
    expect((await csv(runId, '?search=p000')).text.trimEnd().split('\r\n')).toHaveLength(11)
    expect((await csv(runId, '?outcome=delivered')).text.trimEnd().split('\r\n')).toHaveLength(1)
  })

  test('escapes addresses that a spreadsheet would read as a formula', async () => {
    const { runId } = await gateway.accepted([
      '+1@example.org',
      '-1@example.org',
      '=1+1@example.org',
      '"a,b"@example.org',
    ])
    const cells = (await csv(runId)).text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.slice(0, line.indexOf(',accepted')))
    expect(cells).toEqual(['"""a,b""@example.org"', "'+1@example.org", "'-1@example.org", "'=1+1@example.org"])
  })
})

test('the timeline is by minute or hour, at the time of each event', async () => {
  const { runId, messageIds } = await gateway.accepted(['anna@example.org', 'ben@example.org'])
  await gateway.sendEvent(messageIds[0]!, 'delivered', { timestamp: Date.UTC(2026, 10, 20, 10, 4, 30) / 1000 })
  await gateway.sendEvent(messageIds[1]!, 'delivered', { timestamp: Date.UTC(2026, 10, 20, 10, 59, 1) / 1000 })
  await until(async () => (await reportOf(runId))['delivered'] === 2)
  const timeline = async (query: string) => {
    const { json } = await analyst.call('GET', `${console_}/campaign-runs/${runId}/timeline${query}`)
    const moments = json['timeline'] as { at: string; delivered: number; handed_off: number }[]
    return [
      json['bucket'],
      moments.filter(({ delivered }) => delivered > 0).map(({ at, delivered }) => [at, delivered]),
    ]
  }
  const minutes = [
    ['2026-11-20T10:04:00.000Z', 1],
    ['2026-11-20T10:59:00.000Z', 1],
  ]
  expect(await timeline('?bucket=minute')).toEqual(['minute', minutes])
  expect(await timeline('')).toEqual(['minute', minutes])
  expect(await timeline('?bucket=hour')).toEqual(['hour', [['2026-11-20T10:00:00.000Z', 2]]])
  expect((await analyst.call('GET', `${console_}/campaign-runs/${runId}/timeline?bucket=day`)).status).toBe(422)
})

test('runs of this workspace only are listed newest first, with their outcomes', async () => {
  const first = await gateway.accepted(['anna@example.org'], 'First')
  const second = await gateway.accepted(['anna@example.org', 'ben@example.org'], 'Second')
  const list = async (query: string, browser = analyst, workspace = console_) => {
    const { json } = await browser.call('GET', `${workspace}/campaign-runs${query}`)
    return json['campaign_runs'] as Record<string, unknown>[]
  }
  expect((await list('?limit=2')).map(({ id, campaign_name, sent_count }) => [id, campaign_name, sent_count])).toEqual([
    [second.runId, 'Second', 2],
    [first.runId, 'First', 1],
  ])
  expect((await list('?state=cancelled')).map(({ id }) => id)).not.toContain(first.runId)
  expect(await list('', owner, product)).toEqual([])
  expect(await list('', outsider, globex)).toEqual([])
  expect((await analyst.call('GET', `${console_}/campaign-runs?state=over`)).status).toBe(422)
})

test('the newest message of a contact in each audience is shown, only in its own workspace', async () => {
  const { runId, messageIds } = await gateway.accepted(['anna@example.org'])
  const [contactId] = messageIds
  const last = (workspace: string, id = contactId!, browser = owner) =>
    browser.call('GET', `${workspace}/contacts/${id}/last-messages`)
  expect((await last(console_, contactId, analyst)).json).toEqual({
    last_messages: [
      {
        audience_id: contactId,
        run_id: runId,
        campaign_id: expect.any(String),
        automation_id: null,
        handed_off_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ],
  })
  for (const nobody of [await last(product), await last(console_, randomUUID())])
    expect([nobody.status, nobody.json]).toEqual([200, { last_messages: [] }])
  expect([(await last(console_, 'x')).status, (await last(globex, contactId, analyst)).status]).toEqual([404, 404])
})
