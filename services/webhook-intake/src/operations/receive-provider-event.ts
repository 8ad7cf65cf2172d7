import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { HttpFault, correlationIdOf, finishApp, httpApp } from '@lettergate/http'
import { clientAddress } from '@lettergate/http/rate-limit'
import type { Service } from '@lettergate/service'
import { carrier, traced } from '@lettergate/service/tracing'
import type { Connection } from '../connections.ts'
import type { Ctx } from '../ctx.ts'
import { contentDigest, readEnvelope, type Envelope } from '../providers/mailgun/envelope.ts'
import { parseProviderEvent, testSendOf, traceOf } from '../providers/mailgun/provider-event.ts'
import { isFresh, isGenuine } from '../providers/mailgun/signature.ts'

type CtxOfConnection = (connection: Connection, correlationId: string) => Ctx

const path = '/webhooks/mailprovider/:connectionId'
const alertEveryMs = 10 * 60_000
/** Of so many connections it is remembered when they were last reported. */
const connectionsMax = 10_000

/** The HTTP side of the intake: one route. Answers `{status, id}` only after the event is durable; refusals store nothing. */
export function webhookApp(service: Service, ctx: Ctx, ctxOf: CtxOfConnection): Express {
  const app = httpApp(service)
  const alertMissingKey = missingKeyAlerts(service)

  const findConnection = async (req: Request, res: Response, next: () => void) => {
    const id = String(req.params['connectionId']).toLowerCase()
    const found = await ctx.connections.find(id, clientAddress(req, ctx.config.trustedProxies), correlationIdOf(req))
    if (found === undefined)
      throw new Fault('not_found', 'connection', 'There is no such webhook address. Check the connection id in it.')
    res.locals['connection'] = found
    next()
  }

  const receive = async (req: Request, res: Response) => {
    const connection = res.locals['connection'] as Connection
    const correlationId = correlationIdOf(req)
    const body: unknown = req.body
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    const receivedAt = ctx.now()
    const envelope = await readEnvelope(bytes, req.headers['content-type'])

    const key = connection.signingKeyName === null ? undefined : ctx.config.signingKey(connection.signingKeyName)
    if (key === undefined) {
      await alertMissingKey(ctxOf(connection, correlationId), connection)
      throw refusal('signing_key_missing')
    }
    const genuine = isGenuine(envelope.signature, key)
    await ctx.rate.count(connection.id, genuine ? 'genuine' : 'forged')
    if (!genuine) throw refusal('signature')
    if (!isFresh(envelope.signature, receivedAt)) throw refusal('stale_signature')

    const facts = parseProviderEvent(envelope.eventData)
    // The event goes on in the trace of its message, with a link to the provider's own request.
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
    ctx.measures.received.inc({ event: facts.event, result: outcome.status })
    if (outcome.status === 'duplicate') ctx.tallies.repeated(connection, testSendOf(envelope.eventData))
    ctx.measures.ageSeconds.observe(
      { event: facts.event },
      Math.max(0, (receivedAt.getTime() - facts.occurredAt.getTime()) / 1000),
    )
    res.json(outcome)
  }

  const countRefusal: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    const type = (error as { type?: unknown } | null)?.type
    const connection = res.locals['connection'] as Connection | undefined
    if (connection && error instanceof Fault && error.code === 'unauthenticated')
      ctx.tallies.signatureFailed(connection)
    ctx.measures.refused.inc({
      reason: error instanceof Fault ? error.reason : typeof type === 'string' ? type : 'internal',
    })
    next(error)
  }

  app.post(path, findConnection, express.raw({ type: () => true, limit: ctx.config.bodyBytesMax }), receive)
  app.all(path, () => {
    throw new HttpFault(405, 'method_not_allowed', 'Webhooks are sent with POST.', { headers: { Allow: 'POST' } })
  })
  app.use(countRefusal)
  finishApp(app)
  return app
}

/** One page for every kind of bad signature: a forger learns nothing from it; the reason is counted. */
const refusal = (reason: string) =>
  new Fault(
    'unauthenticated',
    reason,
    'The signature is not valid for this connection, or too old. Check the webhook signing key and the clock, and sign again.',
  )

const tokenHash = (keyName: string, { signature }: Envelope): Buffer =>
  createHash('sha256').update(`${keyName}\0${signature.token}`).digest()

/** A connection whose events all have to be refused is somebody's business, but not once per event. */
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
        }),
      )
    } catch (error) {
      raisedAt.delete(connection.id)
      throw error
    }
  }
}
