import { Gauge } from 'prom-client'
import { Tinypool } from 'tinypool'
import { Fault } from '@lettergate/fault'
import type { Service } from '@lettergate/service'
import type { Config } from '../config.ts'
import type { AuthoredContent, PreparedContent } from './prepare.ts'
import type { ThreadResult } from './thread.ts'
import { openFairQueue } from './fair-queue.ts'

export type ContentThreadsOptions = Pick<Config, 'contentThreads' | 'contentQueueMax' | 'contentThreadMemoryMb'>

/** Whose content it is, and how long somebody waits for it. */
export interface ContentScope {
  workspaceId: string
  deadline: number
  signal: AbortSignal
}

/** Prepares what authors wrote beside the event loop, so that two megabytes of HTML delay nobody else's call. */
export interface ContentThreads {
  /** Loads the parsers into a first thread and does not wait for it: no author's time is spent on that. Content starts it otherwise. */
  start(): void
  /**
   * As prepareContent. Fault `unavailable` when too many wait, when the time ends before its turn or while it is checked, or when
   * its thread ends: each says what to do, and nothing is stored.
   */
  prepare(authored: AuthoredContent, scope: ContentScope): Promise<PreparedContent>
  stop(): Promise<void>
}

const idleTimeoutMs = 60_000
/** of one content, its waiting included, however much time its caller has */
const longestMs = 30_000
/** left of the caller's time for storing and answering */
const reserveMs = 500

/**
 * One thread is started ahead or by the first content, more as they are needed. One stays; a thread that died is replaced
 * at once, and what waited goes on. Workspaces take turns: one that sends many large contents delays its own.
 */
export function openContentThreads(service: Service, options: ContentThreadsOptions): ContentThreads {
  const { contentThreads, contentQueueMax, contentThreadMemoryMb } = options
  let started: Tinypool | undefined
  const pool = () =>
    (started ??= new Tinypool({
      filename: new URL('./thread.ts', import.meta.url).href,
      // with none that stays, what waits behind a thread that dies would wait for ever
      minThreads: 1,
      maxThreads: contentThreads,
      idleTimeout: idleTimeoutMs,
      resourceLimits: { maxOldGenerationSizeMb: contentThreadMemoryMb },
      // neither the telemetry nor the secrets that this process was started with
      execArgv: [],
      env: {},
    }))
  const queue = openFairQueue({ places: contentThreads, waitingMax: contentQueueMax })
  new Gauge({
    name: 'lettergate_content_waiting',
    help: 'Contents that wait for a thread to be sanitised',
    registers: [service.metrics],
    collect() {
      this.set(queue.waiting)
    },
  })

  new Gauge({
    name: 'lettergate_content_threads',
    help: 'Threads that sanitise contents',
    registers: [service.metrics],
    collect() {
      this.set(started?.threads.length ?? 0)
    },
  })

  return {
    start: () => void pool(),
    async prepare(authored, { workspaceId, deadline, signal }) {
      const timeLeft = AbortSignal.timeout(Math.max(0, Math.min(deadline - Date.now() - reserveMs, longestMs)))
      const given = AbortSignal.any([signal, timeLeft])
      const turn = queue.take(workspaceId, given)
      if (!turn) throw busy()
      let prepared: ThreadResult
      let endTurn: (() => void) | undefined
      try {
        endTurn = await turn
        prepared = (await pool().run(authored, { signal: given })) as ThreadResult
      } catch (error) {
        if (given.aborted) throw endTurn ? tooSlow(error) : waitedTooLong(error)
        service.log.error({ err: error }, 'a thread ended while it prepared content')
        throw ended(error)
      } finally {
        endTurn?.()
      }
      if ('content' in prepared) return prepared.content
      const { code, reason, message } = prepared.fault
      throw new Fault(code, reason, message)
    },
    async stop() {
      await started?.destroy()
    },
  }
}

const busy = () =>
  new Fault('unavailable', 'content_busy', 'Too many content versions are being checked. Send it again in a moment.')

const waitedTooLong = (cause: unknown) =>
  new Fault(
    'unavailable',
    'content_busy',
    'Other content was being checked all the time, and nothing was stored. Send it again in a moment.',
    { cause },
  )

const tooSlow = (cause: unknown) =>
  new Fault(
    'unavailable',
    'content_too_slow',
    'The HTML could not be checked in time, and nothing was stored. Send it again; if that does not help, shorten or simplify it.',
    { cause },
  )

const ended = (cause: unknown) =>
  new Fault(
    'unavailable',
    'content_check_failed',
    'Checking the HTML broke off, and nothing was stored. Send it again; if that does not help, shorten or simplify it.',
    { cause },
  )
