import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { IncomingMessage } from 'node:http'
import { isIPv6, SocketAddress } from 'node:net'
import { HttpFault } from './http-fault.ts'

/** A limit per minute and key in this process. */
export interface RateLimit {
  /** Counts one. Returns null below the limit, otherwise the seconds to wait. */
  over(key: string): Promise<number | null>
  /** Uncounts one. */
  giveBack(key: string): Promise<void>
  /** Deletes the count of a key, for example of an unknown credential. */
  forget(key: string): Promise<void>
}

/** `isOn` is called only when a key is over its limit. */
export function rateLimit(perMinute: number, isOn: () => boolean | Promise<boolean> = () => true): RateLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return {
    async over(key) {
      try {
        await limiter.consume(key)
        return null
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        return (await isOn()) ? Math.max(1, Math.ceil(error.msBeforeNext / 1000)) : null
      }
    },
    async giveBack(key) {
      await limiter.reward(key)
    },
    async forget(key) {
      await limiter.delete(key)
    },
  }
}

/** 429 with Retry-After. The reason names the limit, for the log and the metrics. */
export const tooMany = (seconds: number, reason = 'rate_limit'): HttpFault =>
  new HttpFault(429, reason, `Too many requests. Wait ${seconds} seconds and try again.`, {
    headers: { 'Retry-After': String(seconds) },
  })

/** The eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): number[] {
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = [], after = []] = shortest.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
}

/** An IPv4 address, or the /64 of an IPv6 address, because one client owns all addresses of a /64. */
function clientOf(address: string): string {
  const withoutZone = address.replace(/%[^\]]*/, '')
  const bare = isIPv6(withoutZone) ? withoutZone : (SocketAddress.parse(withoutZone)?.address ?? address)
  if (!isIPv6(bare)) return bare
  const groups = groupsOf(bare)
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:65535') {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

/**
 * The address of the client that reached the outermost trusted proxy: an IPv4 address, or the /64 of an IPv6 address. The
 * client itself may have written the addresses further left in the header.
 */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string {
  const socket = req.socket.remoteAddress ?? 'unknown'
  const hops = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  return clientOf(trustedProxies === 0 ? socket : (hops.at(-trustedProxies) ?? hops[0] ?? socket))
}
