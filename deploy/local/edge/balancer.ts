import { setTimeout as sleep } from 'node:timers/promises'
import { upstreamOf, type Upstream } from './upstream.ts'

/** The replicas of one service. */
export interface Balancer {
  /** The next replica that is ready, or the next one if none is; undefined when all were tried. */
  next(tried: ReadonlySet<Upstream>): Upstream | undefined
  /** Nothing listens there: the replica gets no requests until it is ready again. */
  refused(replica: Upstream): void
  stop(): void
}

export interface Replicas {
  /** the URL of each replica, separated by commas */
  urls: string
  /** The URL of each replica's health port, in the same order. Only read when there are several replicas. */
  healthUrls: string
}

const checkEveryMs = 500
const checkTimeoutMs = 2_000

const listOf = (text: string) => text.split(',').filter((entry) => entry !== '')

/** Uses the replicas in turn. Asks each for its readiness twice a second, as Kubernetes does for the endpoints of a Service. */
export function openBalancer({ urls, healthUrls }: Replicas): Balancer {
  const health = listOf(healthUrls)
  const replicas = listOf(urls).map((url) => upstreamOf(url))
  if (replicas.length > 1 && health.length !== replicas.length)
    throw new Error(`${urls} needs a health URL for each replica, and has ${healthUrls}`)
  const out = new Set<Upstream>()
  const stopping = new AbortController()
  let last = 0
  if (replicas.length > 1) replicas.forEach((replica, index) => void watch(replica, health[index]!))

  async function watch(replica: Upstream, healthUrl: string) {
    while (!stopping.signal.aborted) {
      if (await isReady(healthUrl)) out.delete(replica)
      else out.add(replica)
      await sleep(checkEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  return {
    next(tried) {
      const inTurn = replicas.map((_, step) => replicas[(last + 1 + step) % replicas.length]!)
      const left = inTurn.filter((replica) => !tried.has(replica))
      const chosen = left.find((replica) => !out.has(replica)) ?? left[0]
      if (chosen) last = replicas.indexOf(chosen)
      return chosen
    },
    refused: (replica) => void (replicas.length > 1 && out.add(replica)),
    stop() {
      stopping.abort()
      for (const replica of replicas) replica.stop()
    },
  }
}

async function isReady(healthUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${healthUrl}/readyz`, { signal: AbortSignal.timeout(checkTimeoutMs) })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}
