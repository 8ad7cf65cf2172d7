import { createHash, timingSafeEqual } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { answerHealth } from '../health.ts'
import { listen, type Listening } from '../listen.ts'
import { agentApiKey, seededUsers, type WalletUser } from './seed.ts'
import { noticePage, signInPage } from './sign-in-page.ts'
import { createTokens } from './tokens.ts'

export interface LocalWalletOptions {
  port?: number
  address?: string
  clientId: string
  clientSecret: string
  /** Unix seconds; a test of expiry sets its own clock. */
  now?: () => number
}

const outageModes = ['unavailable', 'slow', 'garbage'] as const
type OutageMode = (typeof outageModes)[number]

/** An identity wallet: RFC 7662 introspection, a sign-in page, the two exchanges of agents, and control routes under /dev. */
export async function startWallet(options: LocalWalletOptions): Promise<Listening> {
  const tokens = createTokens(options.now ?? (() => Math.floor(Date.now() / 1000)))
  const people = new Map(seededUsers.map((user) => [user.sub, user]))
  let outage: OutageMode | undefined
  const app = express()
  app.disable('x-powered-by')
  app.set('query parser', 'simple')
  const form = express.urlencoded({ extended: false, limit: '64kb' })
  const json = express.json({ limit: '64kb' })

  const health = answerHealth('wallet')
  app.use((req, res, next) => void (health(req, res) || next()))

  app.post('/oauth2/introspect', form, (req, res) => {
    if (outage !== undefined) return fail(res, outage)
    if (!isClient(req, options)) {
      res.set('WWW-Authenticate', 'Basic realm="wallet"')
      return void res.status(401).json({ error: 'invalid_client' })
    }
    const token = field(req, 'token')
    if (token === undefined) return void res.status(400).json({ error: 'invalid_request' })
    res.set('Cache-Control', 'no-store').json(tokens.introspect(token))
  })

  app.get('/signin', (req, res) => {
    const target = returnTarget(req.query['redirect_uri'])
    if (!target)
      return page(
        res,
        400,
        noticePage('This sign-in link is incomplete', 'Go back to the page you came from and sign in again.'),
      )
    page(
      res,
      200,
      signInPage(seededUsers, target.href, typeof req.query['state'] === 'string' ? req.query['state'] : ''),
    )
  })

  app.post('/signin', form, (req, res) => {
    const target = returnTarget(field(req, 'redirect_uri'))
    const user = people.get(field(req, 'user') ?? '')
    if (!target || !user)
      return page(res, 400, noticePage('That person is not known here', 'Go back and choose one of the people shown.'))
    target.searchParams.set('sso_token', tokens.issueSession(user))
    target.searchParams.set('state', field(req, 'state') ?? '')
    res.redirect(303, target.href)
  })

  app.post('/agent-identity/identity-token', (req, res) => {
    const agent = people.get('agent')
    if (req.get('authorization') !== `Bearer ${agentApiKey}` || !agent)
      return void res.status(401).json({ error: 'invalid_client' })
    res.json({ identity_token: tokens.issueIdentity(agent) })
  })

  app.post('/agent/sign-in', json, (req, res) => {
    const user = people.get(tokens.identityOf(field(req, 'token') ?? '') ?? '')
    if (!user) return void res.status(401).json({ error: 'invalid_grant' })
    res.json({ sso_token: tokens.issueSession(user) })
  })

  app.post('/dev/sessions', json, (req, res) => {
    const username = field(req, 'username')
    if (username === undefined) return void res.status(422).json({ error: 'username is required' })
    const identityType = field(req, 'identity_type') === 'agent' ? 'agent' : 'human'
    const user: WalletUser = people.get(username) ?? { sub: username, username, identityType, description: '' }
    people.set(user.sub, user)
    res.json({ token: tokens.issueSession(user, seconds(req)), wallet_user_id: user.sub })
  })

  app.post('/dev/grants', json, (req, res) => {
    const sourceId = field(req, 'source_id')
    const permissions: unknown = (req.body as Record<string, unknown> | undefined)?.['permissions'] ?? []
    if (sourceId === undefined || !isStrings(permissions)) {
      return void res.status(422).json({ error: 'source_id (string) and permissions (list of strings) are required' })
    }
    res.json({ token: tokens.issueGrant(sourceId, permissions, seconds(req)) })
  })

  app.post('/dev/outage', json, (req, res) => {
    const body = (req.body ?? {}) as { enabled?: unknown; mode?: unknown }
    outage = body.enabled === true ? (outageModes.find((mode) => mode === body.mode) ?? 'unavailable') : undefined
    res.json({ enabled: outage !== undefined, mode: outage ?? null })
  })

  app.post('/dev/revoke', json, (req, res) => void res.json({ revoked: tokens.revoke(field(req, 'token') ?? '') }))

  app.use((_req, res) =>
    page(res, 404, noticePage('There is no such page', 'The wallet signs people in. Start from the console.')),
  )
  return listen(app, options.port, options.address)
}

function fail(res: Response, mode: OutageMode) {
  if (mode === 'unavailable') return void res.status(503).json({ error: 'temporarily_unavailable' })
  if (mode === 'garbage') return void res.type('html').send('<h1>It works!</h1>')
  // Slow: longer than every timeout; unref so that it does not delay the stop of the process.
  setTimeout(() => void res.status(200).json({ active: false }), 30_000).unref()
}

const page = (res: Response, status: number, html: string) =>
  void res
    .status(status)
    .set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    )
    .set('Cache-Control', 'no-store')
    .type('html')
    .send(html)

function isClient(req: Request, { clientId, clientSecret }: LocalWalletOptions) {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(req.get('authorization') ?? '')?.[1] ?? ''
  // RFC 6749, 2.3.1: both parts are form-encoded before they are joined; plain ones read the same.
  return sameSecret(Buffer.from(encoded, 'base64').toString(), `${clientId}:${clientSecret}`)
}

const digest = (value: string) => createHash('sha256').update(value).digest()
const sameSecret = (given: string, wanted: string) => timingSafeEqual(digest(given), digest(wanted))

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function field(req: Request, name: string): string | undefined {
  const value = (req.body as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function seconds(req: Request): number | undefined {
  const value = (req.body as Record<string, unknown> | undefined)?.['expires_in']
  return typeof value === 'number' ? value : undefined
}

function returnTarget(value: unknown): URL | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const target = new URL(value)
  return target.protocol === 'http:' || target.protocol === 'https:' ? target : undefined
}
