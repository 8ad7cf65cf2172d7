import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { eachOf, openApi, signInAs, type Api } from '@lettergate/demo/api'
import { newsletter } from '@lettergate/demo/newsletter'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { labelOf } from '@lettergate/local/launcher/processes'
import { until } from '@lettergate/stage'
import { atConsole, queryOf, workspace } from './erased-people.ts'
import { ownStack, type OwnStack } from './own-stack.ts'
import { startSequence } from './running-sequence.ts'

const people = 120
let stack: OwnStack
let api: Api
let browser: Api

beforeAll(async () => {
  stack = await ownStack({
    REPLICAS: '2',
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
    // One message at a time, so that workers stop while calls to the provider are under way.
    DELIVERY_BATCH_SIZE: '1',
    CONNECTION_HAND_OFFS_AT_ONCE: '1',
    RATE_LIMIT_CALLER_PER_MINUTE: '1000000',
    RATE_LIMIT_WORKSPACE_PER_MINUTE: '1000000',
    VALIDATE_RESPONSES: 'false',
  })
  await stack.ok('up')
  const { base_url: baseUrl } = stack.stack()
  api = openApi(baseUrl, { authorization: 'Bearer wallet-session-dev-owner' })
  browser = openApi(baseUrl, await signInAs('owner', baseUrl))
})
afterAll(async () => {
  await Promise.all([api?.close(), browser?.close()])
  await stack.close()
})

const sim = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const answer = await fetch(`${stack.stack().provider_url}/sim${path}`, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  })
  return (await answer.json()) as T
}
const emailOf = (n: number) => `rolling-${n}@example.org`

async function audienceOfAll(): Promise<string> {
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'Rolling',
    slug: 'rolling',
    purpose: 'test',
  })
  await eachOf(Array.from({ length: people }), 4, async (_, n) => {
    const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
      email: emailOf(n),
      source: 'test',
    })
    await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, {
      contact_id: contact.id,
      source: 'test',
      wording_version: '1',
    })
  })
  return audience.id
}

async function scheduled(audienceId: string, senderId: string): Promise<string> {
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: 'Rolling', slug: 'rolling' },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    newsletter,
  )
  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: 'Rolling',
    audience_id: audienceId,
    sender_identity_id: senderId,
    content_version_id: content.id,
  })
  const { campaign_run: run } = await api.ok<{ campaign_run: { id: string } }>(
    'POST',
    `${workspace}/campaign-drafts/${campaign.id}/schedule`,
    { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  const { database_url: databaseUrl } = stack.stack()
  await queryOf(databaseUrl, 'update campaigns.campaign_runs set scheduled_for = now() where id = $1', [run.id])
  return run.id
}

/** Requests that need every service, one after the other until the load ends. Returns the answers that were no success. */
async function load(isOver: () => boolean, runPath: string): Promise<{ sent: number; refused: string[] }> {
  const requests = [
    () => api.call('POST', `${workspace}/contacts/upsert`, { email: emailOf(1), source: 'test', last_name: 'Again' }),
    () => api.call('GET', `${workspace}/contacts/lookup?email=${emailOf(2)}`),
    () => api.call('GET', runPath),
    () => api.call('GET', `${workspace}/imports/csv`),
    () => api.call('GET', `${workspace}/automations`),
    () => browser.call('GET', `${atConsole}/sender-identities`),
  ]
  const refused: string[] = []
  let sent = 0
  const caller = async (first: number) => {
    for (let n = first; !isOver(); n += 1) {
      const index = n % requests.length
      const answer = await requests[index]!().catch((error: Error) => ({ status: 0, text: error.message }))
      sent += 1
      // The wallet is a stand-in, which is not restarted.
      const isWalletSlow = 'reason' in answer && answer.status === 503 && answer.reason === 'wallet'
      if (!isWalletSlow && (answer.status < 200 || answer.status > 299))
        refused.push(`request ${index}: ${answer.status} ${answer.text}`)
      await sleep(150)
    }
  }
  await Promise.all([0, 2, 4].map(caller))
  return { sent, refused }
}

interface ProviderStats {
  accepted: number
  events: { pending: number }
}

test('while every process is restarted, one after the other, no request and no webhook is refused, nobody is mailed twice, and each step of an automation happens once', async () => {
  const { senderId } = await prepareSending(api, workspace, stack.stack(), () => undefined)
  const audienceId = await audienceOfAll()
  const sequence = await startSequence(
    { api, operator: browser, query: (...query) => queryOf(stack.stack().database_url, ...query) },
    { slug: 'sequence', senderId, emailsEachRound: true },
  )
  // The calls of the run are slow until the last process is restarted.
  await sim('PUT', '/faults', { mode: 'none', answer_after_ms: 2_000 })
  const runPath = `${workspace}/campaign-runs/${await scheduled(audienceId, senderId)}`
  await until(async () => (await sim<ProviderStats>('GET', '/stats')).accepted > 0, { what: 'the first message' })

  let isOver = false
  const loaded = load(() => isOver, runPath)
  const services = stack.stack().processes.filter(({ role }) => role !== 'stand-in')
  try {
    for (const running of services) await stack.restart(labelOf(running))
  } finally {
    isOver = true
  }
  const { sent, refused } = await loaded
  expect(refused).toEqual([])
  expect(sent).toBeGreaterThan(services.length)

  await sim('PUT', '/faults', { mode: 'none' })
  const run = await until(
    async () => {
      const { campaign_run: now } = await api.ok<{ campaign_run: Record<string, unknown> }>('GET', runPath)
      return now['state'] === 'completed' && now
    },
    { timeoutMs: 300_000, what: 'the run to be completed' },
  )
  expect(run).toMatchObject({ sent_count: people, failed_count: 0 })
  // The contact of the automation went on while processes were restarted, and does so after it.
  await sequence.movesOn()
  const emails = await sequence.finish()
  const { calls } = await sim<{ calls: { messages: { to: string }[] }[] }>('GET', '/calls?messages=true')
  const mailed = calls.flatMap(({ messages }) => messages.map(({ to }) => to)).toSorted()
  const expected = [
    ...Array.from({ length: people }, (_, n) => emailOf(n)),
    ...Array.from({ length: emails }, () => sequence.email),
  ]
  expect(mailed).toEqual(expected.toSorted())

  // Two events of each message; each was stored when it was sent for the first time.
  await until(async () => (await sim<ProviderStats>('GET', '/stats')).events.pending === 0, { what: 'the events' })
  const { events } = await sim<ProviderStats>('GET', '/stats')
  expect(events).toEqual({ pending: 0, posted: 2 * (people + emails), rejected: 0, failedAttempts: 0, givenUp: 0 })
  await until(
    async () => {
      const { report } = await api.ok<{ report: Record<string, number> }>('GET', `${runPath}/report`)
      return report['delivered'] === people
    },
    { what: 'the report to have every event' },
  )
  expect(services.flatMap(({ log }) => faultsIn(log))).toEqual([])
}, 900_000)

/** Errors in a log, and answers that a stopping process cut off. */
const faultsIn = (log: string): string[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line) || line.includes('are cut off'))
