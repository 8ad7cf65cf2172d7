import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { openApi, type Api } from '@lettergate/demo/api'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { runCampaign } from '@lettergate/demo/run-campaign'
import type { Stack } from '@lettergate/local/launcher/state'
import { until } from '@lettergate/stage'
import { ownStack, type OwnStack } from './own-stack.ts'

interface Span {
  span_id: string
  parent_span_id: string | null
  links: { trace_id: string; span_id: string }[]
  service: string
  name: string
  kind: string
  status: string
  attributes: Record<string, unknown>
}

const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
const route =
  '/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-drafts/{campaign_id}/schedule'
const email = 'asa.trace+hardbounce@example.org'
const traceId = randomBytes(16).toString('hex')
const callerSpan = randomBytes(8).toString('hex')

let own: OwnStack
let stack: Stack
let spans: Span[]
let told: string
let observed: string

beforeAll(async () => {
  own = await ownStack({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true', LETTERGATE_JAEGER: '' })
  observed = await own.ok('observe')
  stack = own.stack()
  const api = openApi(stack.base_url, { authorization: 'Bearer wallet-session-dev-owner' })
  const { senderId } = await prepareSending(api, workspace, stack, () => undefined)
  const audienceId = await audienceOfOne(api)
  await runCampaign({ api: tracedSchedule(api), workspace, round: 1, print: () => undefined }, { audienceId, senderId })
  await api.close()
  const address = `${stack.traces_url}/api/traces/${traceId}`
  spans = await until(
    async () => {
      told = await (await fetch(address)).text()
      const found = (JSON.parse(told) as { spans?: Span[] }).spans ?? []
      return isWhole(found) && found
    },
    { everyMs: 500, what: 'the whole trace' },
  )
})
afterAll(() => own.close(), 120_000)

/** Whether the trace is complete, because each process sends its spans at its own time: the last span and both events are there, and no parent is missing. */
function isWhole(found: readonly Span[]): boolean {
  const known = new Set([callerSpan, ...found.map(({ span_id }) => span_id)])
  const count = (name: string) => found.filter((span) => span.name === name).length
  return (
    count('process on-message-settled') > 0 &&
    count('receive provider event') === 2 &&
    found.every(({ parent_span_id }) => parent_span_id !== null && known.has(parent_span_id))
  )
}

async function audienceOfOne(api: Api): Promise<string> {
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'Traced',
    slug: 'traced',
    purpose: 'One person, followed',
  })
  const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
    email,
    first_name: 'Åsa-the-traced',
    source: 'test',
    source_identifier: 'trace-1',
  })
  await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, {
    contact_id: contact.id,
    source: 'website',
    wording_version: '2026-01',
  })
  return audience.id
}

/** The same caller; its first schedule request is part of the trace of this test. */
function tracedSchedule(api: Api): Api {
  let isFirst = true
  return {
    ...api,
    call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const isOurs = isFirst && path.endsWith('/schedule')
      if (isOurs) isFirst = false
      return api.call(
        method,
        path,
        body,
        isOurs ? { ...headers, traceparent: `00-${traceId}-${callerSpan}-01` } : headers,
      )
    },
  }
}

const labelOf = ({ service, kind, name }: Span) => `${service} ${kind} ${name}`

/** The path from the caller of this test to a span. */
function wayTo(span: Span): string[] {
  const way: string[] = []
  const byId = new Map(spans.map((known) => [known.span_id, known]))
  let at: Span | undefined = span
  for (; at; at = byId.get(at.parent_span_id ?? '')) {
    way.unshift(labelOf(at))
    if (at.parent_span_id === callerSpan) return way
    if (way.length > 50) break
  }
  throw new Error(`the chain is broken above ${way.join(' ← ')}`)
}
const named = (name: string, service?: string) =>
  spans.filter((span) => span.name === name && (service === undefined || span.service === service))

const campaigns = 'lettergate.campaigns.v1.CampaignsDelivery'
const toTheRun = [
  `gateway server POST ${route}`,
  `gateway client ${campaigns}/ScheduleCampaign`,
  `campaigns-delivery server ${campaigns}/ScheduleCampaign`,
]
const toTheHandOff = [...toTheRun, 'campaigns-delivery-worker consumer deliver batches']
const backFromTheProvider = [...toTheHandOff, 'webhook-intake internal receive provider event']
const sendsEvents = 'webhook-intake producer send provider_event_received'

test('one trace goes from the request that scheduled a run to the call that hands the message to the provider', () => {
  const providerPort = Number(new URL(stack.provider_url).port)
  const [call] = spans.filter(
    ({ service, attributes }) => service === 'campaigns-delivery-worker' && attributes['server.port'] === providerPort,
  )
  expect(call).toMatchObject({ kind: 'client', status: 'ok', attributes: { 'http.response.status_code': 200 } })
  expect(wayTo(call!)).toEqual([...toTheHandOff, 'campaigns-delivery-worker client POST'])
})

test('it continues with each event of the provider, through the outbox and NATS, into the consumer', () => {
  const handled = named('process on-provider-event-received').filter(({ service }) =>
    service.startsWith('campaigns-delivery'),
  )
  expect(handled.length).toBeGreaterThan(0)
  // Events that wait together are sent as one message. Its producer span is the child of the first event and links to the others.
  for (const span of handled) {
    const way = wayTo(span)
    expect(way.filter((label) => label !== sendsEvents)).toEqual([
      ...backFromTheProvider,
      `${span.service} consumer ${span.name}`,
    ])
    const sent = named('send provider_event_received').some(
      ({ parent_span_id, links }) =>
        way.includes(sendsEvents) ||
        parent_span_id === span.parent_span_id ||
        links.some(({ span_id }) => span_id === span.parent_span_id),
    )
    expect(sent).toBe(true)
  }
  expect(
    named('receive provider event')
      .map(({ attributes }) => attributes['lettergate.event'])
      .toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
  ).toEqual(['accepted', 'failed'])
})

test('it continues in the services that the event changes', () => {
  const [settled] = named('process on-message-settled', 'contacts-consent')
  expect(
    wayTo(settled!)
      .slice(-3)
      .map((label) => label.replace('campaigns-delivery-worker', 'campaigns-delivery')),
  ).toEqual([
    'campaigns-delivery consumer process on-provider-event-received',
    'campaigns-delivery producer send message_settled',
    'contacts-consent consumer process on-message-settled',
  ])
})

test('the calls before a hand-off and the database statements are part of the trace', () => {
  const [asked] = named('lettergate.contacts.v1.ContactsConsent/PrepareRecipients', 'contacts-consent')
  expect(wayTo(asked!)).toEqual([
    ...toTheHandOff,
    'campaigns-delivery-worker client lettergate.contacts.v1.ContactsConsent/PrepareRecipients',
    'contacts-consent server lettergate.contacts.v1.ContactsConsent/PrepareRecipients',
  ])
  const statements = spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql')
  expect(new Set(statements.map(({ service }) => service))).toEqual(
    new Set([
      'gateway',
      'campaigns-delivery',
      'campaigns-delivery-worker',
      'contacts-consent',
      'sending-infra',
      'webhook-intake',
    ]),
  )
})

test('every span has its parent in the trace, and none has an address, a name, a token or a key', () => {
  for (const span of spans) wayTo(span)
  for (const word of ['example.org', 'Åsa', 'wallet-session', 'dev-api-key', '@']) expect(told).not.toContain(word)
})

test('the message has the trace id, so that the trace can be found from the inbox', async () => {
  const { messages } = (await (await fetch(`${stack.provider_url}/sim/messages`)).json()) as {
    messages: { variables: Record<string, string> }[]
  }
  const [deliver] = named('deliver batches')
  expect(messages.map(({ variables }) => variables['traceparent'])).toEqual([`00-${traceId}-${deliver!.span_id}-01`])
})

test('the page of the trace shows all its spans', async () => {
  const page = await fetch(`${stack.traces_url}/traces/${traceId}`)
  expect(page.status).toBe(200)
  const html = await page.text()
  for (const service of ['gateway', 'campaigns-delivery', 'contacts-consent', 'webhook-intake'])
    expect(html).toContain(`<b>${service}</b>`)
})

test('make observe says where the traces and the metrics of each process are', async () => {
  expect(observed).toContain(`  traces    ${stack.traces_url} `)
  const addresses = [...observed.matchAll(/http:\S+\/metrics$/gm)].map(([address]) => address)
  expect(addresses).toHaveLength(stack.processes.filter(({ role }) => role !== 'stand-in').length)
  for (const { name, role, health_url: url } of stack.processes.filter(({ role }) => role !== 'stand-in')) {
    expect(addresses).toContain(`${url}/metrics`)
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toContain(`process_start_time_seconds{service="${name}",role="${role}"}`)
  }
})

test('a latency in the metrics leads to its trace', async () => {
  const exemplarsAt = async (name: string, role: string) => {
    const { health_url: url } = stack.processes.find((running) => running.name === name && running.role === role)!
    const answer = await fetch(`${url}/metrics`)
    expect(answer.headers.get('content-type')).toMatch(/^application\/openmetrics-text/)
    return (await answer.text()).split('\n').filter((line) => line.includes(`# {trace_id="${traceId}"}`))
  }
  const ofGateway = await exemplarsAt('gateway', 'service')
  expect(ofGateway.filter((line) => line.startsWith('lettergate_http_seconds_bucket'))).toEqual([
    expect.stringContaining(`route="${route}"`),
  ])
  expect((await exemplarsAt('campaigns-delivery', 'worker')).join('\n')).toMatch(/^lettergate_hand_off_seconds_bucket/m)
})

test('the log lines of the processes have the trace id, and none has an address, a name, a token or a key', () => {
  const lines = stack.processes
    .filter(({ role }) => role !== 'stand-in')
    .flatMap(({ log }) => readFileSync(log, 'utf8').split('\n'))
    .filter((line) => line.includes(traceId))
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({
      service: 'gateway',
      route,
      trace_id: traceId,
      correlation_id: expect.any(String),
      workspace_id: expect.any(String),
    }),
  )
  for (const word of ['example.org', 'Åsa', 'wallet-session', 'dev-api-key'])
    expect(lines.join('\n')).not.toContain(word)
})
