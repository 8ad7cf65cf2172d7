import { Gauge } from 'prom-client'
import { Tinypool } from 'tinypool'
import { Fault } from '@lettergate/fault'
import type { Service } from '@lettergate/service'
import type { Config } from '../config.ts'
import type { AuthoredContent, PreparedContent } from './prepare.ts'
import type { ThreadResult } from './thread.ts'
import { openFairQueue } from './fair-queue.ts'

export type ContentThreadsOptions = Pick<Config, 'contentThreads' | 'contentQueueMax' | 'contentThreadMemoryMb'>

/** The workspace of the content and the caller's deadline. */
export interface ContentScope {
  workspaceId: string
  deadline: number
  signal: AbortSignal
}

/** Prepares content in threads, so that large HTML does not block other calls. */
export interface ContentThreads {
  /** Starts a first thread and loads the parsers, without waiting for it. Otherwise the first content starts one. */
  start(): void
  /**
   * Runs prepareContent in a thread. Fault `unavailable` when too many contents wait, when the deadline passes, or when the
   * thread dies. Nothing is stored then.
   */
  prepare(authored: AuthoredContent, scope: ContentScope): Promise<PreparedContent>
  stop(): Promise<void>
}

const idleTimeoutMs = 60_000
/** for one content including its waiting time, whatever the caller's deadline */
const longestMs = 30_000
/** time reserved for storing the content and answering */
const reserveMs = 500

/**
 * Opens the threads. At least one thread is kept and more are started as needed; a thread that dies is replaced at once.
 * Workspaces take turns, so that one with many large contents only delays its own.
 */
export function openContentThreads(service: Service, options: ContentThreadsOptions): ContentThreads {
  const { contentThreads, contentQueueMax, contentThreadMemoryMb } = options
  let started: Tinypool | undefined
  const pool = () =>
    (started ??= new Tinypool({
      filename: new URL('./thread.ts', import.meta.url).href,
      // without a permanent thread, content that waits behind a dead thread would wait forever
      minThreads: 1,
      maxThreads: contentThreads,
      idleTimeout: idleTimeoutMs,
      resourceLimits: { maxOldGenerationSizeMb: contentThreadMemoryMb },
      // the thread gets neither the telemetry nor the secrets of this process
      execArgv: [],
      env: {},
    }))
  const queue = openFairQueue({ places: contentThreads, waitingMax: contentQueueMax })
  new Gauge({
    name: 'lettergate_content_waiting',
    help: 'Contents that wait for a sanitising thread',
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
    'The content had to wait too long behind other content, and nothing was stored. Send it again in a moment.',
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
    'The check of the HTML failed, and nothing was stored. Send it again; if that does not help, shorten or simplify it.',
    { cause },
  )
