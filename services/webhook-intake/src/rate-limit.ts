import { randomUUID } from 'node:crypto'
import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import { rateLimit, tooMany } from '@lettergate/http/rate-limit'
import type { Client } from '@lettergate/rpc'
import { systemCaller, type CallScope, type Service } from '@lettergate/service'

export interface WebhookRate {
  /** Counts one request, or throws 429 with Retry-After. Genuine and forged requests are counted separately, so that a forger cannot block the provider. */
  count(connectionId: string, kind: 'genuine' | 'forged'): Promise<void>
}

const gateMs = 5_000

/** Whether the platform gate `rate_limit_enabled` is on. An unreadable gate counts as on. Called only when a limit is reached. */
export function rateLimitGate(service: Service, identity: Client<typeof Identity>): () => Promise<boolean> {
  let gate: { readAt: number; isOn: Promise<boolean> } | undefined

  async function readGate(): Promise<boolean> {
    const scope: CallScope = {
      caller: systemCaller('read-gates', randomUUID()),
      deadline: Infinity,
      signal: new AbortController().signal,
    }
    try {
      const { effective } = await identity.getGates(scope, {}, { timeoutMs: 1_000 })
      return effective['rate_limit_enabled'] !== false
    } catch (error) {
      service.log.warn({ err: error }, 'the rate limit gate cannot be read; the limit stays on')
      return true
    }
  }

  return () => {
    const now = performance.now()
    if (gate === undefined || now - gate.readAt > gateMs) gate = { readAt: now, isOn: readGate() }
    return gate.isOn
  }
}

/** Counts in this process, separately for each connection. */
export function webhookRate(perMinute: number, isOn: () => Promise<boolean>): WebhookRate {
  const limits = { genuine: rateLimit(perMinute, isOn), forged: rateLimit(perMinute, isOn) }
  return {
    async count(connectionId, kind) {
      const seconds = await limits[kind].over(connectionId)
      if (seconds !== null) throw tooMany(seconds, 'rate_limit_webhook')
    },
  }
}
