import { Fault } from '@lettergate/fault'
import { breaker, callHttp, type Breaker, type CallOptions, type CallResult } from '@lettergate/http'
import { problemOf, retryAfterMs, type ProviderProblem } from './answer.ts'

/** Nothing was asked: the line rests after what the provider said or did not say before. */
export interface Resting {
  kind: 'resting'
  problem: ProviderProblem
}

export interface ProviderLines {
  /** One call on a connection's line; the time that it waits for room there is part of its own. Never throws, never repeats. */
  call(connectionId: string, options: CallOptions): Promise<CallResult | Resting>
}

export interface LinesOptions {
  /** Calls of one connection at once; default 4. */
  atOnce?: number
  /** Rest after the provider refused the credential, for who cannot have it mended by asking again; default none. */
  refusalRestMs?: number
  /** Milliseconds that only go forward. */
  clock?: () => number
}

interface Line {
  breaker: Breaker
  running: number
  waiting: Set<() => void>
  restUntil: number
  restProblem: ProviderProblem
}

const linesMax = 1_000
/** When the provider asks for fewer calls and does not say until when. */
const usualRestMs = 1_000
const outages: readonly (ProviderProblem | undefined)[] = ['unreachable', 'failing', 'unreadable']

class Outage extends Error {
  readonly result: CallResult
  constructor(result: CallResult) {
    super('the provider is out')
    this.result = result
  }
}

/**
 * A line for each connection: so many calls at once, none before the end of a rest that the provider asked for, and none
 * while five in a row found it out, until one finds it back. What happens on one line is nothing to the others.
 */
export function providerLines(options: LinesOptions = {}): ProviderLines {
  const { atOnce = 4, refusalRestMs = 0, clock = () => performance.now() } = options
  const lines = new Map<string, Line>()

  function lineOf(connectionId: string): Line {
    const known = lines.get(connectionId)
    const line = known ?? {
      breaker: breaker('mail_provider', { isFailure: (error) => error instanceof Outage, clock }),
      running: 0,
      waiting: new Set(),
      restUntil: 0,
      restProblem: 'rate_limited',
    }
    // the line that was used longest ago is the first to be forgotten
    lines.delete(connectionId)
    lines.set(connectionId, line)
    if (lines.size > linesMax)
      for (const [id, other] of lines) {
        if (other.running === 0 && other.waiting.size === 0) {
          lines.delete(id)
          break
        }
      }
    return line
  }

  /** Whoever leaves lets the next one in. A line that is trying whether the provider is back has room for one. */
  const leave = (line: Line) => {
    line.running -= 1
    const [next] = line.waiting
    if (next) {
      line.waiting.delete(next)
      next()
    }
  }

  async function enter(line: Line, deadline: number, signal: AbortSignal | undefined): Promise<boolean> {
    while (line.running >= (line.breaker.state === 'half_open' ? 1 : atOnce)) {
      const left = deadline - clock()
      if (left <= 0 || signal?.aborted) return false
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', wake)
          line.waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, left)
        signal?.addEventListener('abort', wake, { once: true })
        line.waiting.add(wake)
      })
    }
    line.running += 1
    return true
  }

  function heed(line: Line, result: CallResult): void {
    const problem = problemOf(result)
    const restMs =
      problem === 'rate_limited'
        ? retryAfterMs(result, new Date()) || usualRestMs
        : problem === 'credential_refused'
          ? refusalRestMs
          : 0
    if (restMs === 0 || problem === undefined) return
    line.restUntil = Math.max(line.restUntil, clock() + restMs)
    line.restProblem = problem
  }

  return {
    async call(connectionId, call) {
      const line = lineOf(connectionId)
      const deadline = clock() + (call.timeoutMs ?? 15_000)
      if (!(await enter(line, deadline, call.signal))) return { kind: 'resting', problem: 'unreachable' }
      try {
        if (clock() < line.restUntil) return { kind: 'resting', problem: line.restProblem }
        return await line.breaker.run(async () => {
          const result = await callHttp({ ...call, timeoutMs: Math.max(1, Math.round(deadline - clock())) })
          heed(line, result)
          if (outages.includes(problemOf(result))) throw new Outage(result)
          return result
        })
      } catch (error) {
        if (error instanceof Outage) return error.result
        if (error instanceof Fault) return { kind: 'resting', problem: 'unreachable' }
        throw error
      } finally {
        leave(line)
      }
    },
  }
}
