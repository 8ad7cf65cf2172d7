import { Pool } from 'undici'
import { delayQueue } from './delay-queue.ts'
import { eventData, sign, type EventSignature } from './event-payload.ts'
import { Fifo } from './fifo.ts'
import type { Delivery, Happened } from './mailbox.ts'

const minute = 60_000
/** The delay after each failed attempt; after the last one the event is dropped. */
const retryDelaysMs = [5, 10, 15, 60, 120, 240].map((minutes) => minutes * minute)
const poolOptions = {
  pipelining: 1,
  keepAliveTimeout: 30_000,
  headersTimeout: 30_000,
  bodyTimeout: 30_000,
  connect: { timeout: 5_000 },
}

interface Posting {
  readonly url: URL
  readonly delivery: Delivery
  readonly happened: Happened
  attempt: number
  /** Made at the first attempt; retries have the same one, like those of the provider. */
  signature: EventSignature | undefined
}

export interface WebhookCounts {
  posted: number
  /** Answered with 406: not sent again. */
  rejected: number
  failedAttempts: number
  givenUp: number
}

export interface WebhookSender {
  /** Events that are not sent yet, with retries. */
  readonly pending: number
  readonly counts: Readonly<WebhookCounts>
  post(url: string, delivery: Delivery, happened: Happened): void
  /** Holds the events of these messages back from now on; events of other messages that were held back are sent. */
  hold(this: void, isHeld: (delivery: Delivery) => boolean): void
  stop(): Promise<void>
}

export interface WebhookSenderOptions {
  signingKey: string
  /** Factor of the provider's retry delays; 1 is the real schedule. */
  retryScale: number
  concurrency: number
}

/** Sends signed events, each in its own request, over kept connections. 2xx and 406 end an event; other answers are retried. */
export function createWebhookSender({ signingKey, retryScale, concurrency }: WebhookSenderOptions): WebhookSender {
  const targets = new Map<string, { url: URL; pool: Pool }>()
  const pools = new Map<string, Pool>()
  const queue = new Fifo<Posting>()
  const counts: WebhookCounts = { posted: 0, rejected: 0, failedAttempts: 0, givenUp: 0 }
  let inFlight = 0
  let stopped = false
  let isHeld: (delivery: Delivery) => boolean = () => false
  let keptBack: Posting[] = []

  const target = (href: string) => {
    const known = targets.get(href)
    if (known) return known
    const url = new URL(href)
    const pool = pools.get(url.origin) ?? new Pool(url.origin, { ...poolOptions, connections: concurrency })
    pools.set(url.origin, pool)
    targets.set(href, { url, pool })
    return { url, pool }
  }

  const retries = delayQueue<Posting>((posting) => {
    queue.push(posting)
    pump()
  })

  const attempt = async (posting: Posting) => {
    posting.signature ??= sign(signingKey)
    const status = await send(target(posting.url.href).pool, posting, posting.signature)
    if (status >= 200 && status < 300) counts.posted += 1
    else if (status === 406) counts.rejected += 1
    else {
      counts.failedAttempts += 1
      const delayMs = retryDelaysMs[posting.attempt]
      posting.attempt += 1
      if (delayMs === undefined) counts.givenUp += 1
      else if (!stopped) retries.push(posting, Math.round(delayMs * retryScale))
    }
  }

  const pump = () => {
    while (inFlight < concurrency && !stopped) {
      const posting = queue.shift()
      if (posting === undefined) return
      if (isHeld(posting.delivery)) {
        keptBack.push(posting)
        continue
      }
      inFlight += 1
      void attempt(posting).finally(() => {
        inFlight -= 1
        pump()
      })
    }
  }

  return {
    get pending() {
      return queue.length + keptBack.length + inFlight + retries.length
    },
    counts,
    post: (url, delivery, happened) => {
      queue.push({ url: target(url).url, delivery, happened, attempt: 0, signature: undefined })
      pump()
    },
    hold: (holds) => {
      isHeld = holds
      for (const posting of keptBack) queue.push(posting)
      keptBack = []
      pump()
    },
    stop: async () => {
      stopped = true
      retries.stop()
      queue.clear()
      keptBack = []
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

/** Sends one event; returns the status, or 0 without an answer. The body of the answer is ignored. */
function send(pool: Pool, { url, delivery, happened }: Posting, signature: EventSignature): Promise<number> {
  return new Promise((resolve) => {
    let status = 0
    pool.dispatch(
      {
        method: 'POST',
        path: url.pathname + url.search,
        headers: json,
        body: JSON.stringify({ signature, 'event-data': eventData(delivery, happened) }),
      },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => void (status = code),
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(status),
        onResponseError: () => resolve(0),
      },
    )
  })
}

const json = ['content-type', 'application/json']
