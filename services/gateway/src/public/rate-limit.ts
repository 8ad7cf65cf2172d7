import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { IncomingMessage } from 'node:http'
import { HttpFault } from '@lettergate/http'

/** A limit per minute and key in this process. */
export interface RateLimit {
  /** null: go on; otherwise the seconds to wait. */
  over(key: string): Promise<number | null>
  /** Keeps nothing of a key that turned out to be nobody's. */
  forget(key: string): Promise<void>
}

export function rateLimit(perMinute: number, isOn: () => boolean): RateLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return {
    async over(key) {
      if (!isOn()) return null
      try {
        await limiter.consume(key)
        return null
      } catch (error) {
        if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1000))
        throw error
      }
    },
    async forget(key) {
      await limiter.delete(key)
    },
  }
}

export const tooMany = (seconds: number): HttpFault =>
  new HttpFault(429, 'rate_limit', `Too many requests. Wait ${seconds} seconds and try again.`, {
    headers: { 'Retry-After': String(seconds) },
  })

/** The address that reached the outermost of our own proxies; what stands further left in the header is the client's own claim. */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string {
  const socket = req.socket.remoteAddress ?? 'unknown'
  const hops = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  return trustedProxies === 0 ? socket : (hops.at(-trustedProxies) ?? hops[0] ?? socket)
}
