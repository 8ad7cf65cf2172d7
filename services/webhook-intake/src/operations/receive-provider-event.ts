import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { HttpFault, correlationIdOf, noteRoute, nothingHere, type HttpHandler } from '@lettergate/http'
import { clientAddress } from '@lettergate/http/rate-limit'
import type { Service } from '@lettergate/service'
import { carrier, traced } from '@lettergate/service/tracing'
import type { Connection } from '../connections.ts'
import type { Ctx } from '../ctx.ts'
import { contentDigest, readEnvelope, type Envelope } from '../providers/mailgun/envelope.ts'
import { parseProviderEvent, testSendOf, traceOf } from '../providers/mailgun/provider-event.ts'
import { isFresh, isGenuine } from '../providers/mailgun/signature.ts'
import { readContent } from '../read-content.ts'
import type { StoreOutcome } from './store-provider-events.ts'

type CtxOfConnection = (connection: Connection, correlationId: string) => Ctx

const path = '/webhooks/mailprovider/:connectionId'
const alertEveryMs = 10 * 60_000
/** Number of connections whose last alert is remembered. */
const connectionsMax = 10_000

/** The HTTP side of the intake, one route. Answers `{status, id}` after the event is durable; a refusal stores nothing. */
export function receiveProviderEvent(service: Service, ctx: Ctx, ctxOf: CtxOfConnection): HttpHandler {
  const alertForgeries = forgeryAlerts(service)
  const alertMissingKey = missingKeyAlerts(service)

  async function findConnection(req: IncomingMessage, id: string): Promise<Connection> {
    const addressOf = () => clientAddress(req, ctx.config.trustedProxies)
    const found = await ctx.connections.find(id, addressOf, correlationIdOf(req))
    if (found === undefined)
      throw new Fault('not_found', 'connection', 'There is no such webhook address. Check the connection id in it.')
    return found
  }

  async function receive(connection: Connection, req: IncomingMessage, bytes: Buffer): Promise<StoreOutcome> {
    const correlationId = correlationIdOf(req)
    const receivedAt = ctx.now()
    const envelope = await readEnvelope(bytes, req.headers['content-type'])

    const key = connection.signingKeyName === null ? undefined : ctx.config.signingKey(connection.signingKeyName)
    if (key === undefined) {
      await alertMissingKey(ctxOf(connection, correlationId), connection)
      throw refusal('signing_key_missing')
    }
    const genuine = isGenuine(envelope.signature, key)
    await ctx.rate.count(connection.id, genuine ? 'genuine' : 'forged')
    if (!genuine) {
      await alertForgeries(ctxOf(connection, correlationId), connection)
      throw refusal('signature')
    }
    if (!isFresh(envelope.signature, receivedAt)) throw refusal('stale_signature')

    const facts = parseProviderEvent(envelope.eventData)
    // The span continues the trace of the message, with a link to the request of the provider.
    const parent = traceOf(envelope.eventData)
    const span = { parent, links: parent ? [carrier()] : [], attributes: { 'lettergate.event': facts.event } }
    const outcome = await traced('receive provider event', span, () =>
      ctx.intake.add({
        origin: { workspaceId: connection.workspaceId, correlationId, trace: carrier() },
        connectionId: connection.id,
        facts,
        digest: contentDigest(envelope.eventData),
        bodyBytes: bytes.length,
        tokenHash: tokenHash(connection.signingKeyName!, envelope),
        receivedAt,
      }),
    )
    ctx.metrics.received.inc({ event: facts.event, result: outcome.status })
    if (outcome.status === 'duplicate') ctx.tallies.repeated(connection, testSendOf(envelope.eventData))
    ctx.metrics.ageSeconds.observe(
      { event: facts.event },
      Math.max(0, (receivedAt.getTime() - facts.occurredAt.getTime()) / 1000),
    )
    return outcome
  }

  function countRefusal(error: unknown, connection: Connection | undefined) {
    if (connection && error instanceof Fault && error.code === 'unauthenticated')
      ctx.tallies.signatureFailed(connection)
    ctx.metrics.refused.inc({ reason: error instanceof Fault ? error.reason : 'internal' })
  }

  return async (req, res) => {
    const id = connectionIdIn(req.url!)
    if (id === undefined) throw nothingHere()
    noteRoute(req, path)
    let connection: Connection | undefined
    try {
      if (req.method !== 'POST')
        throw new HttpFault(405, 'method_not_allowed', 'Webhooks are sent with POST.', { headers: { Allow: 'POST' } })
      connection = await findConnection(req, decoded(id).toLowerCase())
      sendOutcome(res, await receive(connection, req, await readContent(req, ctx.config.bodyBytesMax)))
    } catch (error) {
      countRefusal(error, connection)
      throw error
    }
  }
}

const connectionIdIn = (url: string): string | undefined =>
  /^\/webhooks\/mailprovider\/([^/?]+)\/?(?:\?|$)/.exec(url)?.[1]

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch (error) {
    throw new HttpFault(400, 'unreadable_request', 'The request cannot be read. Check its path, length and encoding.', {
      cause: error,
    })
  }
}

function sendOutcome(res: ServerResponse, outcome: StoreOutcome): void {
  const json = JSON.stringify(outcome)
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  })
  res.end(json)
}

/** The same page for every kind of invalid signature, so that a forger learns nothing; the reason is counted. */
const refusal = (reason: string) =>
  new Fault(
    'unauthenticated',
    reason,
    'The signature is not valid for this connection, or too old. Check the webhook signing key and the clock, and sign again.',
  )

const tokenHash = (keyName: string, { signature }: Envelope): Buffer =>
  hash('sha256', `${keyName}\0${signature.token}`, 'buffer')

/** So many wrong signatures of a connection in ten minutes raise an alert: fewer are what scanners of the internet send. */
const forgeriesMin = 10

/**
 * Raises an alert for a connection that gets many requests with a wrong signature: its key was rotated at the provider only, or
 * somebody forges events. At most once in ten minutes on this replica; the alert ends by itself when they stop.
 */
function forgeryAlerts(service: Service) {
  const counted = new LRUCache<string, { since: number; count: number }>({ max: connectionsMax })
  return async (ctx: Ctx, connection: Connection): Promise<void> => {
    const now = service.now().getTime()
    const known = counted.get(connection.id)
    const window = known && now - known.since < alertEveryMs ? known : { since: now, count: 0 }
    window.count += 1
    counted.set(connection.id, window)
    if (window.count !== forgeriesMin) return
    await ctx.tx((em) =>
      publish(em, AlertRaisedSchema, {
        code: 'webhook_signatures_refused',
        severity: 'warning',
        summary: 'Many requests to the webhook of a connection have a wrong signature and are refused',
        detail: { connection_id: connection.id, webhook_signing_env_key: connection.signingKeyName },
        about: connection.id,
        lastsSeconds: (2 * alertEveryMs) / 1000,
      }),
    )
  }
}

/** Raises an alert for a connection without a usable signing key, at most once in ten minutes. */
function missingKeyAlerts(service: Service) {
  const raisedAt = new LRUCache<string, number>({ max: connectionsMax })
  return async (ctx: Ctx, connection: Connection): Promise<void> => {
    const now = service.now().getTime()
    const last = raisedAt.get(connection.id)
    if (last !== undefined && now - last < alertEveryMs) return
    raisedAt.set(connection.id, now)
    try {
      await ctx.tx((em) =>
        publish(em, AlertRaisedSchema, {
          code: 'webhook_signing_key_missing',
          severity: 'critical',
          summary:
            'Provider events are refused: the signing key that the connection names is not set in the environment, or too short',
          detail: { connection_id: connection.id, webhook_signing_env_key: connection.signingKeyName },
          about: connection.id,
          lastsSeconds: (2 * alertEveryMs) / 1000,
        }),
      )
    } catch (error) {
      raisedAt.delete(connection.id)
      throw error
    }
  }
}
