import { setTimeout as pause } from 'node:timers/promises'
import type { NextFunction, Request, Response } from 'express'

export const faultModes = [
  'none',
  /** 429 with Retry-After; the call has no effect. */
  'rate_limit',
  /** 400, as for a message that the provider will never accept; the call has no effect. */
  'refuse',
  /** 500; the call has no effect. */
  'server_error',
  /** Never an answer; the call has no effect. */
  'timeout',
  /** The call has its effect, then the connection is reset. */
  'reset_after_accept',
  /** The call has its effect, then there is never an answer. */
  'accept_then_timeout',
  /** The call has its effect, then 500. */
  'accept_then_error',
  /** The call has its effect, then half of the answer. */
  'truncated',
] as const
export type FaultMode = (typeof faultModes)[number]

export interface Faults {
  mode: FaultMode
  /** The share of calls that fail, 0 to 1. */
  rate: number
  /** Added before every call, failing or not. */
  latencyMs: number
  /** Added between the effect of a call and its answer: a caller that dies meanwhile never gets the answer. */
  answerAfterMs?: number
  /** This many calls for messages still succeed; later calls for messages fail, and no others. */
  afterCalls?: number | undefined
}

/** The faults of all calls, or of the calls of one domain. */
export interface FaultPlan {
  /** Sets the faults of all calls, and removes those of single domains. */
  setAll(faults: Faults): void
  setOf(domain: string, faults: Faults): void
  of(path: string): Faults
}

export function faultPlan(): FaultPlan {
  let all: Faults = { mode: 'none', rate: 1, latencyMs: 0 }
  const byDomain = new Map<string, Faults>()
  return {
    setAll(faults) {
      all = faults
      byDomain.clear()
    },
    setOf: (domain, faults) => void byDomain.set(domain.toLowerCase(), faults),
    of: (path) => byDomain.get(domainIn(path)) ?? all,
  }
}

/** `/v3/{domain}/messages`, `/v3/domains/{domain}/webhooks`, `/v4/domains/{domain}`; else no domain's. */
const domainIn = (path: string): string =>
  decodeURIComponent(/^\/v\d\/(?:domains\/)?([^/]+)/.exec(path)?.[1] ?? '').toLowerCase()

const isForMessages = (req: Request): boolean => req.originalUrl.endsWith('/messages')

/** Counts the concurrent calls of each domain, from the first byte to the end of the answer or of the connection. */
export function countAtOnce(most: Map<string, number>) {
  const now = new Map<string, number>()
  const count = (domain: string, difference: 1 | -1) => {
    const calls = (now.get(domain) ?? 0) + difference
    now.set(domain, calls)
    most.set(domain, Math.max(most.get(domain) ?? 0, calls))
  }
  return (req: Request, res: Response, next: NextFunction) => {
    if (isForMessages(req)) {
      const domain = domainIn(req.originalUrl)
      count(domain, 1)
      res.once('close', () => count(domain, -1))
    }
    next()
  }
}

const chosen = new WeakMap<Response, FaultMode>()
const answersAfterMs = new WeakMap<Response, number>()

function doesFail(faults: Faults, req: Request): boolean {
  if (faults.mode === 'none') return false
  if (faults.afterCalls === undefined) return Math.random() < faults.rate
  if (!isForMessages(req)) return false
  faults.afterCalls -= 1
  return faults.afterCalls < 0
}

/** Delays every provider call and makes the configured share of them fail. */
export function injectFaults(plan: FaultPlan, onFault: () => void) {
  return async (req: Request, res: Response, next: NextFunction) => {
    const faults = plan.of(req.originalUrl)
    const mode = doesFail(faults, req) ? faults.mode : 'none'
    if (faults.latencyMs > 0) await pause(faults.latencyMs, undefined, { ref: false })
    if (faults.answerAfterMs) answersAfterMs.set(res, faults.answerAfterMs)
    if (mode === 'none') return next()
    onFault()
    if (mode === 'rate_limit')
      return void res.set('Retry-After', '1').status(429).json({ message: 'Too Many Requests' })
    if (mode === 'refuse')
      return void res.status(400).json({ message: 'from parameter is not a valid address. please check documentation' })
    if (mode === 'server_error') return void res.status(500).json({ message: 'Internal Server Error' })
    if (mode === 'timeout') return
    chosen.set(res, mode)
    next()
  }
}

/** Answers a provider call like the API, unless a fault applies after its effect. */
export function reply(res: Response, status: number, body: unknown) {
  const afterMs = answersAfterMs.get(res)
  if (afterMs === undefined) return answer(res, status, body)
  setTimeout(() => answer(res, status, body), afterMs).unref()
}

function answer(res: Response, status: number, body: unknown) {
  const mode = chosen.get(res)
  if (mode === undefined) return void res.status(status).json(body)
  if (mode === 'accept_then_error') return void res.status(500).json({ message: 'Internal Server Error' })
  if (mode === 'reset_after_accept') return void res.socket?.resetAndDestroy()
  if (mode === 'truncated') {
    const whole = JSON.stringify(body)
    res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(whole) })
    res.write(whole.slice(0, Math.ceil(whole.length / 2)), () => res.socket?.destroy())
  }
}
