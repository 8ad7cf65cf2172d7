import { setTimeout as pause } from 'node:timers/promises'
import type { NextFunction, Request, Response } from 'express'

export const faultModes = [
  'none',
  /** 429 with Retry-After; nothing happens. */
  'rate_limit',
  /** 500; nothing happens. */
  'server_error',
  /** No answer ever; nothing happens. */
  'timeout',
  /** The call takes effect, then the connection is reset. */
  'reset_after_accept',
  /** The call takes effect, then no answer ever. */
  'accept_then_timeout',
  /** The call takes effect, then 500. */
  'accept_then_error',
  /** The call takes effect, then half of the answer. */
  'truncated',
] as const
export type FaultMode = (typeof faultModes)[number]

export interface Faults {
  mode: FaultMode
  /** The share of calls that fail, 0 to 1. */
  rate: number
  /** Added before every call, failing or not. */
  latencyMs: number
}

const chosen = new WeakMap<Response, FaultMode>()

/** Delays every provider call and makes the chosen share of them fail. */
export function injectFaults(faults: Faults, onFault: () => void) {
  return async (_req: Request, res: Response, next: NextFunction) => {
    const mode = faults.mode !== 'none' && Math.random() < faults.rate ? faults.mode : 'none'
    if (faults.latencyMs > 0) await pause(faults.latencyMs, undefined, { ref: false })
    if (mode === 'none') return next()
    onFault()
    if (mode === 'rate_limit')
      return void res.set('Retry-After', '1').status(429).json({ message: 'Too Many Requests' })
    if (mode === 'server_error') return void res.status(500).json({ message: 'Internal Server Error' })
    if (mode === 'timeout') return
    chosen.set(res, mode)
    next()
  }
}

/** Answers a provider call as the API does, unless the call was chosen to end badly after taking effect. */
export function reply(res: Response, status: number, body: unknown) {
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
