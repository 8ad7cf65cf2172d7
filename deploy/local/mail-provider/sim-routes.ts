import { json, type Express, type Request, type Response } from 'express'
import { request } from 'undici'
import type { WrittenRecord } from '../dns/zones.ts'
import { isWebhookType, type Account, type DomainChange, type DomainState, type Webhooks } from './account.ts'
import { newEventId, sign } from './event-payload.ts'
import { faultModes, type FaultPlan, type Faults } from './faults.ts'
import {
  headersOf,
  htmlOf,
  keyOf,
  messageIdOf,
  subjectOf,
  textOf,
  variablesOf,
  type Delivery,
  type Mailbox,
} from './mailbox.ts'

export interface SimParts {
  account: Account
  mailbox: Mailbox
  faults: FaultPlan
  signingKey: string
  stats: () => Record<string, unknown>
  /** holds the signed events of these messages back, and sends all others */
  holdEvents: (isHeld: (delivery: Delivery) => boolean) => void
}

const messagesMax = 10_000

/** The control routes of the stand-in, for tests and demonstrations; a real provider does not have them. */
export function simRoutes(app: Express, { account, mailbox, faults, signingKey, stats, holdEvents }: SimParts) {
  const body = json({ limit: '10mb' })

  app.get('/sim/messages', (req, res) => {
    const limit = Math.min(Number(req.query['limit'] ?? 100) || 100, messagesMax)
    // A plus sign in a query is a space unless it was encoded; no address has a space.
    const to = typeof req.query['to'] === 'string' ? req.query['to'].replaceAll(' ', '+').toLowerCase() : undefined
    const messages: unknown[] = []
    for (const delivery of mailbox.newestFirst()) {
      if (messages.length >= limit) break
      if (to === undefined || delivery.address.toLowerCase() === to) messages.push(messageAnswer(delivery))
    }
    res.json({ messages })
  })

  app.get('/sim/calls', (req, res) => res.json(callsAnswer(mailbox, req.query)))

  app.delete('/sim/messages', (_req, res) => {
    mailbox.clear()
    res.json({ deleted: true })
  })

  app.get('/sim/stats', (_req, res) => void res.json(stats()))
  app.get('/sim/faults', (_req, res) => void res.json(faultsAnswer(faults.of(''))))

  app.put('/sim/faults', body, (req, res) => {
    const {
      mode,
      rate = 1,
      latency_ms: latencyMs = 0,
      answer_after_ms: answerAfterMs = 0,
      after_calls: afterCalls,
      domain,
    } = (req.body ?? {}) as Record<
      'mode' | 'rate' | 'latency_ms' | 'answer_after_ms' | 'after_calls' | 'domain',
      unknown
    >
    const known = faultModes.find((name) => name === mode)
    if (!known) return refuse(res, `mode must be one of ${faultModes.join(', ')}`)
    if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1)) return refuse(res, 'rate must be a number from 0 to 1')
    if (typeof latencyMs !== 'number' || !(latencyMs >= 0)) return refuse(res, 'latency_ms must be 0 or more')
    if (typeof answerAfterMs !== 'number' || !(answerAfterMs >= 0))
      return refuse(res, 'answer_after_ms must be 0 or more')
    if (afterCalls !== undefined && !(Number.isInteger(afterCalls) && Number(afterCalls) >= 0))
      return refuse(res, 'after_calls must be a whole number, 0 or more')
    if (domain !== undefined && text(domain) === undefined) return refuse(res, 'domain must be a name')
    const wanted: Faults = { mode: known, rate, latencyMs, answerAfterMs, afterCalls: afterCalls as number | undefined }
    if (typeof domain === 'string') faults.setOf(domain, wanted)
    else faults.setAll(wanted)
    res.json(faultsAnswer(wanted))
  })

  app.put('/sim/domains/:name', body, (req, res) => {
    try {
      const domain = account.putDomain(req.params.name, domainChange((req.body ?? {}) as Record<string, unknown>))
      res.json({
        domain: {
          name: domain.name,
          state: domain.state,
          dkim_selector: domain.dkimSelector,
          dns: domain.dns,
          webhooks: domain.webhooks,
        },
      })
    } catch (error) {
      refuse(res, (error as Error).message)
    }
  })

  app.delete('/sim/domains/:name', (req, res) => {
    if (!account.removeDomain(req.params.name)) return void res.status(404).json({ message: 'no such domain' })
    res.json({ deleted: true })
  })

  app.put('/sim/dns/:name', body, (req, res) => {
    const records: unknown = (req.body as { records?: unknown } | undefined)?.records
    if (!Array.isArray(records)) return refuse(res, 'records must be a list of {type, name, value}')
    try {
      account.putZone(req.params.name, records as WrittenRecord[])
      res.json({ records: records.length })
    } catch (error) {
      refuse(res, (error as Error).message)
    }
  })

  app.put('/sim/events', body, (req, res) => {
    const { held_share: share } = (req.body ?? {}) as Record<'held_share', unknown>
    if (typeof share !== 'number' || !(share >= 0 && share <= 1))
      return refuse(res, 'held_share must be a number from 0 to 1')
    // the first calls of every ten
    holdEvents(({ batch }) => batch.sequence % 10 < share * 10)
    res.json({ held_share: share })
  })

  app.post('/sim/events', body, (req, res) => postEvent(req, res, signingKey))
}

const refuse = (res: Response, message: string) => void res.status(400).json({ message })
const faultsAnswer = ({ mode, rate, latencyMs, answerAfterMs, afterCalls }: Faults) => ({
  mode,
  rate,
  latency_ms: latencyMs,
  ...(answerAfterMs ? { answer_after_ms: answerAfterMs } : {}),
  ...(afterCalls === undefined ? {} : { after_calls: Math.max(0, afterCalls) }),
})

const messageAnswer = (delivery: Delivery) => ({
  id: `<${messageIdOf(delivery)}>`,
  key: keyOf(delivery),
  domain: delivery.batch.domain,
  from: delivery.batch.from,
  to: delivery.address,
  subject: subjectOf(delivery),
  html: htmlOf(delivery),
  text: textOf(delivery),
  headers: headersOf(delivery),
  variables: variablesOf(delivery),
  tags: delivery.batch.tags,
  events: delivery.happened.map(({ kind }) => kind),
  traceparent: delivery.batch.traceparent ?? null,
  received_at: new Date(delivery.batch.receivedAt).toISOString(),
})

const callsMax = 1_000

/** The ledger: accepted messages calls after the given number, in their order, optionally with their messages. */
function callsAnswer(mailbox: Mailbox, { after, limit, messages }: Request['query']) {
  const numberOf = (value: unknown, otherwise: number) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : otherwise)
  const most = Math.min(numberOf(limit, callsMax), callsMax)
  const calls: unknown[] = []
  for (const batch of mailbox.callsFrom(numberOf(after, -1) + 1)) {
    if (calls.length >= most) break
    calls.push({
      number: batch.sequence,
      domain: batch.domain,
      arrived_at: batch.arrivedAt,
      accepted_at: batch.receivedAt,
      recipients: batch.deliveries.length,
      ...(messages === 'true' ? { messages: batch.deliveries.map(ledgerEntry) } : {}),
    })
  }
  return { calls }
}

const ledgerEntry = (delivery: Delivery) => ({
  to: delivery.address,
  variables: variablesOf(delivery),
  events: delivery.happened.map(({ kind }) => kind),
})

const states: readonly DomainState[] = ['active', 'unverified', 'disabled']

/** Throws an Error that names the invalid field. */
function domainChange({ state, dkim_selector: dkimSelector, dns, webhooks }: Record<string, unknown>): DomainChange {
  const knownState = states.find((name) => name === state)
  if (state !== undefined && !knownState) throw new Error(`state must be one of ${states.join(', ')}`)
  if (dns !== undefined && dns !== 'ok' && dns !== 'missing') throw new Error('dns must be ok or missing')
  if (dkimSelector !== undefined && (typeof dkimSelector !== 'string' || !/^[a-z0-9-]{1,63}$/i.test(dkimSelector))) {
    throw new Error('dkim_selector must be one DNS label')
  }
  return { state: knownState, dns, dkimSelector, webhooks: webhooks === undefined ? undefined : readWebhooks(webhooks) }
}

/** `{opened: [url, …]}`, `{opened: url}` or `{opened: {urls: […]}}`. */
function readWebhooks(given: unknown): Webhooks {
  const webhooks: Webhooks = {}
  for (const [type, value] of Object.entries((given ?? {}) as Record<string, unknown>)) {
    if (!isWebhookType(type)) throw new Error(`webhooks.${type} is no webhook type`)
    const urls = typeof value === 'string' ? [value] : ((value as { urls?: unknown } | null)?.urls ?? value ?? [])
    if (!Array.isArray(urls) || !urls.every((url): url is string => typeof url === 'string'))
      throw new Error(`webhooks.${type} must be a list of URLs`)
    if (urls.length > 0) webhooks[type] = urls
  }
  return webhooks
}

/** Sends one event, with a valid signature unless the request has signature fields or a key, and returns the answer. */
async function postEvent(req: Request, res: Response, signingKey: string) {
  const given = (req.body ?? {}) as Record<string, unknown>
  const url = text(given['connection_webhook_url'])
  const event = text(given['event']) ?? 'delivered'
  if (!url || !URL.canParse(url)) return refuse(res, 'connection_webhook_url must be a URL')

  const failed = event === 'permanent_fail' || event === 'temporary_fail'
  const data: Record<string, unknown> = {
    id: text(given['id']) ?? newEventId(),
    event: failed ? 'failed' : event,
    timestamp: typeof given['timestamp'] === 'number' ? given['timestamp'] : Date.now() / 1000,
    recipient: text(given['recipient']) ?? 'someone@recipient.test',
    message: { headers: { 'message-id': (text(given['message_id']) ?? `none@${'sim.test'}`).replace(/^<|>$/g, '') } },
    'user-variables': given['user_variables'] ?? given['user-variables'] ?? [],
    flags: { 'is-delayed-bounce': given['delayed_bounce'] === true, 'is-test-mode': false },
    ...(failed || event === 'failed'
      ? {
          severity: event === 'temporary_fail' ? 'temporary' : (text(given['severity']) ?? 'permanent'),
          reason: text(given['reason']) ?? 'bounce',
        }
      : {}),
    ...(given['event_data'] as Record<string, unknown> | undefined),
  }
  const signature = {
    ...sign(text(given['signing_key']) ?? signingKey, text(given['signature_timestamp']), text(given['token'])),
    ...(given['signature'] as object | undefined),
  }
  const asForm = given['form'] === true
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': asForm ? 'application/x-www-form-urlencoded' : 'application/json' },
    body: asForm
      ? new URLSearchParams({ signature: JSON.stringify(signature), 'event-data': JSON.stringify(data) }).toString()
      : JSON.stringify({ signature, 'event-data': data }),
  })
  res.json({ status: answer.statusCode, body: await answer.body.text(), event_id: data['id'], signature })
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
