import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Fault } from '@lettergate/fault'
import { HttpFault, callHttp } from '@lettergate/http'
import type { Part, Service } from '@lettergate/service'
import { gatherMs } from './gather.ts'

/** What the identity wallet says of a token that is good. */
export interface WalletToken {
  walletUserId: string
  username: string | null
  identityType: 'human' | 'agent'
  tokenUse: 'session' | 'grant'
  scope: string
}

export interface Wallet extends Part {
  /** null: the wallet does not know the token, or it has expired. Throws Fault `unavailable` when the wallet cannot say. */
  introspect(token: string): Promise<WalletToken | null>
}

export interface WalletOptions {
  baseUrl: string
  clientId: string
  clientSecret: string
  /** 0: an answer is not used again */
  cacheSeconds: number
}

const budgetMs = 2_000
/** What one request at a time may spend on finding out that the wallet is back. */
const trialBudgetMs = 40
const lookEveryMs = 1_000
const answerBytesMax = 64 * 1024
const cachedMax = 10_000

const unavailable = (cause?: unknown) =>
  new Fault(
    'unavailable',
    'wallet',
    'Your identity cannot be checked right now, because the identity wallet does not answer. Try again in a few seconds.',
    { cause },
  )

/** A 429 of the wallet: it is there, and takes no more questions for now. */
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

/** Tokens are not kept longer than a question about them takes. */
const keyOf = (token: string) => hash('sha256', token, 'base64')

/**
 * Asks the wallet by RFC 7662, within 2 s. Concurrent questions about one token share one call, which waits up to 4 ms for
 * others when the last one was shared by many. A call that fails is one
 * caller's 503; it makes us ask with a token of our own, and only when that fails, too, the wallet counts as away. Then
 * callers are answered at once; our own question every second, or one request at a time within 40 ms, finds it back.
 */
export function openWallet(service: Service, options: WalletOptions): Wallet {
  const inFlight = new Map<string, { asking: Promise<WalletToken | null>; callers: number }>()
  /** how many callers the last call served */
  let lastCallers = 1
  const cached = new LRUCache<string, { answer: WalletToken | null }>({
    max: cachedMax,
    ttl: Math.max(1, options.cacheSeconds * 1000),
  })
  const authorization = `Basic ${Buffer.from(`${encodeURIComponent(options.clientId)}:${encodeURIComponent(options.clientSecret)}`).toString('base64')}`
  let isAway = false
  let isLooking = false
  let trying = false
  let nextLook: NodeJS.Timeout | undefined
  let stopped = false

  async function ask(token: string, timeoutMs = budgetMs): Promise<WalletToken | null> {
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

  function isBack() {
    if (!isAway) return
    isAway = false
    service.log.info('the identity wallet answers again')
  }

  function isGone(error: unknown) {
    if (isAway || stopped) return
    isAway = true
    service.log.warn({ err: error }, 'the identity wallet does not answer; wallet tokens are refused until it does')
  }

  /** Asks about a token of our own, so that nobody's token decides what others are told. */
  async function look() {
    if (isLooking || stopped) return
    isLooking = true
    clearTimeout(nextLook)
    try {
      await ask('wallet-session-probe')
      isBack()
    } catch (error) {
      if (error instanceof WalletBusy) isBack()
      else isGone(error)
    } finally {
      isLooking = false
    }
    if (isAway && !stopped) nextLook = setTimeout(() => void look(), lookEveryMs).unref()
  }

  async function fresh(token: string): Promise<WalletToken | null> {
    const waitMs = isAway ? 0 : gatherMs(lastCallers)
    try {
      if (waitMs > 0) await sleep(waitMs)
      const answer = await ask(token, isAway ? trialBudgetMs : budgetMs - waitMs)
      isBack()
      if (options.cacheSeconds > 0) cached.set(keyOf(token), { answer })
      return answer
    } catch (error) {
      if (error instanceof WalletBusy) isBack()
      else if (!isAway) void look()
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
      if (isAway && trying) return Promise.reject(unavailable())
      trying = isAway
      const asking = fresh(token).finally(() => (trying = false))
      inFlight.set(token, { asking, callers: 1 })
      return asking
    },
    async stop() {
      stopped = true
      clearTimeout(nextLook)
      await Promise.allSettled(Array.from(inFlight.values(), ({ asking }) => asking))
    },
  }
}
