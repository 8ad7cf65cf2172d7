import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { IncomingMessage } from 'node:http'
import { isIPv6, SocketAddress } from 'node:net'
import { HttpFault } from './http-fault.ts'

/** A limit per minute and key in this process. */
export interface RateLimit {
  /** Counts one. null: go on; otherwise the seconds to wait. */
  over(key: string): Promise<number | null>
  /** Takes back one that was counted. */
  giveBack(key: string): Promise<void>
  /** Keeps nothing of a key that turned out to be nobody's. */
  forget(key: string): Promise<void>
}

/** `isOn` is asked only when a key is over its limit. */
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

/** The eight groups of an IPv6 address, however it is spelled. */
function groupsOf(address: string): number[] {
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = [], after = []] = shortest.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
}

/** An IPv4 address as it is, and of IPv6 the /64, because one client has all the addresses of one. */
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
 * The client by the address that reached the outermost of our own proxies; what stands further left in the header is the
 * client's own claim. An IPv4 address, or the /64 of an IPv6 address.
 */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string {
  const socket = req.socket.remoteAddress ?? 'unknown'
  const hops = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  return clientOf(trustedProxies === 0 ? socket : (hops.at(-trustedProxies) ?? hops[0] ?? socket))
}
