import { createHash } from 'node:crypto'
import { Fault, ignoring } from '@lettergate/fault'
import { callHttp } from '@lettergate/http'
import type { Part, Service } from '@lettergate/service'

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

/** What was wrong with one token: the wallet is there, and the next caller's token may be fine. */
class TokenTrouble extends Error {}

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
    throw new TokenTrouble('the answer is no introspection of a user')
  }
  if (
    (tokenUse !== 'session' && tokenUse !== 'grant') ||
    (identityType !== 'human' && identityType !== 'agent' && tokenUse === 'session')
  ) {
    throw new TokenTrouble('the answer names no known use or identity type')
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
const keyOf = (token: string) => createHash('sha256').update(token).digest('base64')

/**
 * Asks the wallet by RFC 7662, within 2 s. Concurrent questions about one token share one call. After a failure callers
 * are answered at once; a probe of our own, or one request at a time within 40 ms, finds out when the wallet is back.
 */
export function openWallet(service: Service, options: WalletOptions): Wallet {
  const inFlight = new Map<string, Promise<WalletToken | null>>()
  const cached = new Map<string, { until: number; answer: WalletToken | null }>()
  const authorization = `Basic ${Buffer.from(`${encodeURIComponent(options.clientId)}:${encodeURIComponent(options.clientSecret)}`).toString('base64')}`
  let answers = true
  let trying = false
  let probe: NodeJS.Timeout | undefined
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
    if (result.status === 400 || result.status === 413 || result.status === 422)
      throw unavailable(new TokenTrouble(`the wallet answered ${result.status}`))
    if (result.status !== 200 || result.truncated) throw unavailable(new Error(`the wallet answered ${result.status}`))
    try {
      return readAnswer(result.body.toString('utf8'))
    } catch (error) {
      throw unavailable(error)
    }
  }

  function stopAsking(error: unknown) {
    if (!answers || stopped) return
    answers = false
    service.log.warn({ err: error }, 'the identity wallet does not answer; wallet tokens are refused until it does')
    void reopen()
  }

  function askAgain() {
    if (answers) return
    answers = true
    clearTimeout(probe)
    service.log.info('the identity wallet answers again')
  }

  async function reopen() {
    if (answers) return
    try {
      await ask('wallet-session-probe')
      askAgain()
    } catch (error) {
      ignoring(error, 'the wallet is still away; the next probe follows')
      if (!stopped) probe = setTimeout(() => void reopen(), probeEveryMs).unref()
    }
  }

  async function fresh(token: string): Promise<WalletToken | null> {
    try {
      const answer = await ask(token, answers ? budgetMs : trialBudgetMs)
      askAgain()
      if (options.cacheSeconds > 0) {
        if (cached.size >= cachedMax) cached.clear()
        cached.set(keyOf(token), { until: performance.now() + options.cacheSeconds * 1000, answer })
      }
      return answer
    } catch (error) {
      if (error instanceof Fault && error.cause instanceof TokenTrouble) askAgain()
      else stopAsking(error)
      throw error
    } finally {
      inFlight.delete(token)
    }
  }

  return {
    introspect(token) {
      const held = options.cacheSeconds > 0 ? cached.get(keyOf(token)) : undefined
      if (held && held.until > performance.now()) return Promise.resolve(held.answer)
      const shared = inFlight.get(token)
      if (shared) return shared
      if (!answers && trying) return Promise.reject(unavailable())
      trying = !answers
      const asking = fresh(token).finally(() => (trying = false))
      inFlight.set(token, asking)
      return asking
    },
    async stop() {
      stopped = true
      clearTimeout(probe)
      await Promise.allSettled(inFlight.values())
    },
  }
}
