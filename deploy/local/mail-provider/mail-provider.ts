import { createHash, timingSafeEqual } from 'node:crypto'
import express, { type NextFunction, type Request, type Response } from 'express'
import { createZones, type Zones } from '../dns/zones.ts'
import { answerHealth } from '../health.ts'
import { listen, type Listening } from '../listen.ts'
import { acceptMessage, answeredId, Refusal } from './accept-message.ts'
import { createAccount } from './account.ts'
import { planFor, type Step } from './behaviours.ts'
import { delayQueue } from './delay-queue.ts'
import { domainRoutes } from './domain-routes.ts'
import { newEventId } from './event-payload.ts'
import { countAtOnce, faultPlan, injectFaults, reply } from './faults.ts'
import { BodyTooLarge, BodyUnreadable, readForm } from './form.ts'
import { inboxRoutes } from './inbox/routes.ts'
import { lookupRoutes } from './lookup-routes.ts'
import { createMailbox, type Delivery } from './mailbox.ts'
import { simRoutes } from './sim-routes.ts'
import { createWebhookSender } from './webhook-sender.ts'

export interface MailProviderOptions {
  port?: number
  address?: string
  apiKey: string
  signingKey: string
  /** A started DNS server for the zones of the provider's customers; without it no server answers for them. */
  dns?: { readonly zones: Zones }
  /** Multiplies the delays between attempts of a webhook; 1 is the provider's real schedule (5 min to 4 h). */
  retryScale?: number
  /** Concurrent webhook calls. */
  concurrency?: number
  messagesMax?: number
  charactersMax?: number
  /** Number of unsent events above which messages are refused with 429, so that a slow receiver does not fill the memory. */
  pendingEventsMax?: number
  /** Keeps domains, webhooks and zones after restarts. */
  stateFile?: string | undefined
}

export interface LocalMailProvider extends Listening {
  readonly zones: Zones
}

/** A mail provider with Mailgun's public HTTP API, signed events, an inbox page at `/`, and control routes under `/sim`. */
export async function startMailProvider(options: MailProviderOptions): Promise<LocalMailProvider> {
  const zones = options.dns?.zones ?? createZones()
  const account = createAccount(zones, options.stateFile)
  const mailbox = createMailbox({
    messagesMax: options.messagesMax ?? 200_000,
    charactersMax: options.charactersMax ?? 400_000_000,
  })
  const sender = createWebhookSender({
    signingKey: options.signingKey,
    retryScale: options.retryScale ?? 1,
    concurrency: options.concurrency ?? 64,
  })
  const faults = faultPlan()
  const mostAtOnce = new Map<string, number>()
  const arrivals = new WeakMap<Response, number>()
  const counts = { calls: 0, message_calls: 0, accepted: 0, recipients: 0, faults: 0 }
  const pendingEventsMax = options.pendingEventsMax ?? 1_000_000

  const happens = (delivery: Delivery, kind: Step['kind']) => {
    const happened = { kind, id: newEventId(), at: Date.now() }
    delivery.happened.push(happened)
    for (const url of account.domain(delivery.batch.domain)?.webhooks[kind] ?? []) sender.post(url, delivery, happened)
  }
  const timeline = delayQueue<{ delivery: Delivery; steps: readonly Step[]; position: number }>((next) => {
    const step = next.steps[next.position]
    if (step) happens(next.delivery, step.kind)
    next.position += 1
    schedule(next)
  })
  const schedule = (next: { delivery: Delivery; steps: readonly Step[]; position: number }) => {
    const step = next.steps[next.position]
    if (step) timeline.push(next, step.afterMs)
  }

  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  const stats = () => ({
    ...counts,
    most_at_once: Object.fromEntries(mostAtOnce),
    stored: mailbox.messages,
    events: { pending: sender.pending + timeline.length, ...sender.counts },
  })
  const health = answerHealth('mail-provider', () => ({
    mail_provider_recipients: counts.recipients,
    mail_provider_stored_messages: mailbox.messages,
    mail_provider_pending_events: sender.pending + timeline.length,
    mail_provider_posted_events: sender.counts.posted,
  }))
  app.use((req, res, next) => void (health(req, res) || next()))
  simRoutes(app, { account, mailbox, faults, signingKey: options.signingKey, stats, holdEvents: sender.hold })
  inboxRoutes(app, mailbox)

  const counted = (_req: Request, res: Response, next: NextFunction) => {
    counts.calls += 1
    arrivals.set(res, Date.now())
    next()
  }
  app.use(
    ['/v1', '/v3', '/v4'],
    counted,
    countAtOnce(mostAtOnce),
    injectFaults(faults, () => (counts.faults += 1)),
    authenticate(options.apiKey),
  )
  domainRoutes(app, account, zones)
  lookupRoutes(app, account, mailbox)

  app.post('/v3/:domain/messages', async (req, res) => {
    counts.message_calls += 1
    if (sender.pending + timeline.length > pendingEventsMax) {
      return void res.set('Retry-After', '5').status(429).json({ message: 'Too Many Requests' })
    }
    const form = await readForm(req)
    const domain = account.domain(req.params.domain)
    if (!domain) return reply(res, 404, { message: `Domain not found: ${req.params.domain}` })
    const call = { arrivedAt: arrivals.get(res)!, traceparent: req.get('traceparent') }
    const batch = acceptMessage(mailbox, domain, form, call)
    counts.accepted += 1
    counts.recipients += batch.deliveries.length
    for (const delivery of batch.deliveries) {
      happens(delivery, 'accepted')
      schedule({ delivery, steps: planFor(delivery.address), position: 0 })
    }
    reply(res, 200, { id: answeredId(batch), message: 'Queued. Thank you.' })
  })

  app.use((_req, res) => void res.status(404).json({ message: 'Not Found' }))
  app.use(refused)
  const server = await listen(app, options.port, options.address)
  const stop = async () => {
    timeline.stop()
    await server.stop()
    await sender.stop()
  }
  return { url: server.url, port: server.port, zones, stop }
}

/** HTTP Basic, user `api`. A wrong key is 401 in plain text, like at the provider. */
function authenticate(apiKey: string) {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  const wanted = digest(`api:${apiKey}`)
  return (req: Request, res: Response, next: NextFunction) => {
    const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(req.get('authorization') ?? '')?.[1] ?? ''
    if (timingSafeEqual(digest(Buffer.from(encoded, 'base64').toString()), wanted)) return next()
    res.set('WWW-Authenticate', 'Basic realm="MG API"').status(401).type('text').send('Forbidden')
  }
}

function refused(error: unknown, _req: Request, res: Response, next: NextFunction) {
  if (res.headersSent) return next(error)
  if (error instanceof Refusal) return void res.status(error.status).json({ message: error.message })
  if (error instanceof BodyTooLarge)
    return void res.status(413).json({ message: 'Message size exceeds the limit of 25 MB' })
  if (error instanceof BodyUnreadable) return void res.status(400).json({ message: error.message })
  const status = (error as { status?: unknown }).status
  const known = typeof status === 'number' && status >= 400 && status < 500
  res.status(known ? status : 500).json({ message: known ? (error as Error).message : 'Internal Server Error' })
}
