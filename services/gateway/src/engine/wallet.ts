import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Fault } from '@lettergate/fault'
import { HttpFault, callHttp } from '@lettergate/http'
import type { Part, Service } from '@lettergate/service'
import { gatherMs } from './gather.ts'

/** The wallet's answer for a valid token. */
export interface WalletToken {
  walletUserId: string
  username: string | null
  identityType: 'human' | 'agent'
  tokenUse: 'session' | 'grant'
  scope: string
}

export interface Wallet extends Part {
  /** null: the token is unknown or has expired. Throws Fault `unavailable` when the wallet does not answer. */
  introspect(token: string): Promise<WalletToken | null>
}

export interface WalletOptions {
  baseUrl: string
  clientId: string
  clientSecret: string
  /** 0 turns the cache off */
  cacheSeconds: number
}

const introspectTimeoutMs = 2_000
/** Timeout of the one request at a time that tries whether the wallet is up again. */
const trialTimeoutMs = 40
const probeEveryMs = 1_000
const answerBytesMax = 64 * 1024
const cachedMax = 10_000

const unavailable = (cause?: unknown) =>
  new Fault(
    'unavailable',
    'wallet',
    'Your identity cannot be checked right now, because the identity wallet does not answer. Try again in a few seconds.',
    { cause },
  )

/** A 429 of the wallet: it is up, and refuses more requests for now. */
class WalletBusy extends HttpFault {
  constructor(retryAfter: string | undefined) {
    const asked = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : 1
    super(
      503,
      'wallet_busy',
      'Your identity cannot be checked right now, because the identity wallet is asked too often. Try again when the Retry-After header says.',
      { headers: { 'Retry-After': String(Math.min(60, Math.max(1, asked))) } },
    )
  }
}

function readAnswer(body: string): WalletToken | null {
  const answer = JSON.parse(body) as Record<string, unknown>
  if (answer['active'] === false) return null
  const {
    sub = answer['token_use'] === 'grant' ? 'grant' : undefined,
    username,
    identity_type: identityType,
    token_use: tokenUse,
    scope,
    exp,
  } = answer
  if (
    answer['active'] !== true ||
    typeof sub !== 'string' ||
    sub === '' ||
    sub.length > 200 ||
    sub.includes('\u0000') ||
    !sub.isWellFormed()
  ) {
    throw new Error('the answer is no introspection of a user')
  }
  if (
    (tokenUse !== 'session' && tokenUse !== 'grant') ||
    (identityType !== 'human' && identityType !== 'agent' && tokenUse === 'session')
  ) {
    throw new Error('the answer names no known use or identity type')
  }
  if (typeof exp === 'number' && exp * 1000 <= Date.now()) return null
  return {
    walletUserId: sub,
    username: typeof username === 'string' ? username.replaceAll('\u0000', '').toWellFormed() : null,
    identityType: identityType === 'agent' ? 'agent' : 'human',
    tokenUse,
    scope: typeof scope === 'string' ? scope : '',
  }
}

/** Tokens are kept as hashes, and only during a call. */
const keyOf = (token: string) => hash('sha256', token, 'base64')

/**
 * Introspects tokens by RFC 7662, within 2 s. Concurrent introspections of one token share one call, which waits up to 4 ms for
 * others if the last one was shared by many. A failed call is a 503 for its caller, and starts a probe with a token of the
 * gateway. If the probe fails too, the wallet counts as down: callers get 503 at once, until a probe (one every second) or a trial
 * (one request at a time, within 40 ms) succeeds.
 */
export function openWallet(service: Service, options: WalletOptions): Wallet {
  const inFlight = new Map<string, { asking: Promise<WalletToken | null>; callers: number }>()
  /** the number of callers of the last call */
  let lastCallers = 1
  const cached = new LRUCache<string, { answer: WalletToken | null }>({
    max: cachedMax,
    ttl: Math.max(1, options.cacheSeconds * 1000),
  })
  const authorization = `Basic ${Buffer.from(`${encodeURIComponent(options.clientId)}:${encodeURIComponent(options.clientSecret)}`).toString('base64')}`
  let isDown = false
  let isProbing = false
  let trying = false
  let nextProbe: NodeJS.Timeout | undefined
  let stopped = false

  async function ask(token: string, timeoutMs = introspectTimeoutMs): Promise<WalletToken | null> {
    const result = await callHttp({
      method: 'POST',
      url: `${options.baseUrl}/oauth2/introspect`,
      headers: { authorization, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ token }).toString(),
      connectTimeoutMs: timeoutMs,
      timeoutMs,
      bodyBytesMax: answerBytesMax,
    })
    if (result.kind !== 'answered') throw unavailable(result.error)
    if (result.status === 429) throw new WalletBusy(result.headers['retry-after'])
    if (result.status !== 200 || result.truncated) throw unavailable(new Error(`the wallet answered ${result.status}`))
    try {
      return readAnswer(result.body.toString('utf8'))
    } catch (error) {
      throw unavailable(error)
    }
  }

  function markUp() {
    if (!isDown) return
    isDown = false
    service.log.info('the identity wallet answers again')
  }

  function markDown(error: unknown) {
    if (isDown || stopped) return
    isDown = true
    service.log.warn({ err: error }, 'the identity wallet does not answer; wallet tokens are refused until it does')
  }

  /** Introspects the gateway's own token, so that one caller's token does not decide for the others. */
  async function probe() {
    if (isProbing || stopped) return
    isProbing = true
    clearTimeout(nextProbe)
    try {
      await ask('wallet-session-probe')
      markUp()
    } catch (error) {
      if (error instanceof WalletBusy) markUp()
      else markDown(error)
    } finally {
      isProbing = false
    }
    if (isDown && !stopped) nextProbe = setTimeout(() => void probe(), probeEveryMs).unref()
  }

  async function fresh(token: string): Promise<WalletToken | null> {
    const waitMs = isDown ? 0 : gatherMs(lastCallers)
    try {
      if (waitMs > 0) await sleep(waitMs)
      const answer = await ask(token, isDown ? trialTimeoutMs : introspectTimeoutMs - waitMs)
      markUp()
      if (options.cacheSeconds > 0) cached.set(keyOf(token), { answer })
      return answer
    } catch (error) {
      if (error instanceof WalletBusy) markUp()
      else if (!isDown) void probe()
      throw error
    } finally {
      lastCallers = inFlight.get(token)?.callers ?? 1
      inFlight.delete(token)
    }
  }

  return {
    introspect(token) {
      const held = options.cacheSeconds > 0 ? cached.get(keyOf(token)) : undefined
      if (held) return Promise.resolve(held.answer)
      const shared = inFlight.get(token)
      if (shared) {
        shared.callers += 1
        return shared.asking
      }
      if (isDown && trying) return Promise.reject(unavailable())
      trying = isDown
      const asking = fresh(token).finally(() => (trying = false))
      inFlight.set(token, { asking, callers: 1 })
      return asking
    },
    async stop() {
      stopped = true
      clearTimeout(nextProbe)
      await Promise.allSettled(Array.from(inFlight.values(), ({ asking }) => asking))
    },
  }
}
