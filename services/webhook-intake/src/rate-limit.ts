import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import { HttpFault } from '@lettergate/http'
import type { Client } from '@lettergate/rpc'
import { systemCaller, type CallScope, type Service } from '@lettergate/service'

export interface RateLimit {
  /** Counts one request, or throws 429 with Retry-After. Genuine and forged ones are counted apart, so that a forger cannot shut out the provider. */
  count(connectionId: string, kind: 'genuine' | 'forged', correlationId: string): Promise<void>
}

const gateMs = 5_000

/** Counts in this process. The platform gate `rate_limit_enabled` switches it off; a gate that cannot be read does not. */
export function openRateLimit(service: Service, identity: Client<typeof Identity>, pointsPerMinute: number): RateLimit {
  const limiters = {
    genuine: new RateLimiterMemory({ keyPrefix: 'genuine', points: pointsPerMinute, duration: 60 }),
    forged: new RateLimiterMemory({ keyPrefix: 'forged', points: pointsPerMinute, duration: 60 }),
  }
  let gate: { readAt: number; isOn: Promise<boolean> } | undefined

  async function readGate(correlationId: string): Promise<boolean> {
    const scope: CallScope = {
      caller: systemCaller('read-gates', correlationId),
      deadline: Infinity,
      signal: new AbortController().signal,
    }
    try {
      const { effective } = await identity.getGates(scope, {}, { timeoutMs: 1_000 })
      return effective['rate_limit_enabled'] !== false
    } catch (error) {
      service.log.warn({ err: error }, 'the rate limit gate cannot be read; the limit stays')
      return true
    }
  }

  function isOn(correlationId: string): Promise<boolean> {
    const now = performance.now()
    if (gate === undefined || now - gate.readAt > gateMs) gate = { readAt: now, isOn: readGate(correlationId) }
    return gate.isOn
  }

  return {
    async count(connectionId, kind, correlationId) {
      try {
        await limiters[kind].consume(connectionId)
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        // Asked only here, so that the way of an ordinary event has no call in it.
        if (!(await isOn(correlationId))) return
        const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
        throw new HttpFault(
          429,
          'rate_limited',
          `More events arrive for this connection than are taken in a minute. Send this one again in ${seconds} seconds.`,
          {
            headers: { 'Retry-After': String(seconds) },
          },
        )
      }
    },
  }
}
