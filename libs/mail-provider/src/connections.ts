import { Fault } from '@lettergate/fault'
import { breaker, callHttp, type Breaker, type CallOptions, type CallResult } from '@lettergate/http'
import { problemOf, retryAfterMs, type ProviderProblem } from './answer.ts'

/** No request was sent: the connection has a cooldown, an open circuit breaker, or no free place before the timeout. */
export interface NotCalled {
  kind: 'not_called'
  problem: ProviderProblem
}

export interface ProviderConnections {
  /** One call of a connection. Its timeout includes the time that it waits for a free place. Never throws, never retries. */
  call(connectionId: string, options: CallOptions): Promise<CallResult | NotCalled>
}

export interface ConnectionsOptions {
  /** Concurrent calls of one connection; default 4. */
  concurrency?: number
  /** Cooldown after the provider refused the credential, for jobs that call without a user; default none. */
  refusalCooldownMs?: number
  /** Monotonic milliseconds. */
  clock?: () => number
}

interface ConnectionState {
  breaker: Breaker
  running: number
  waiting: Set<() => void>
  cooldownUntil: number
  cooldownProblem: ProviderProblem
}

const connectionsMax = 1_000
/** The cooldown after a 429 without Retry-After. */
const defaultCooldownMs = 1_000
const outages: readonly (ProviderProblem | undefined)[] = ['unreachable', 'failing', 'unreadable']

class Outage extends Error {
  readonly result: CallResult
  constructor(result: CallResult) {
    super('the provider has an outage')
    this.result = result
  }
}

/**
 * Separate state for each connection: a maximum of concurrent calls, a cooldown after Retry-After, and a circuit breaker that
 * opens after five outages in a row. One connection does not affect the others.
 */
export function providerConnections(options: ConnectionsOptions = {}): ProviderConnections {
  const { concurrency = 4, refusalCooldownMs = 0, clock = () => performance.now() } = options
  const connections = new Map<string, ConnectionState>()

  function stateOf(connectionId: string): ConnectionState {
    const known = connections.get(connectionId)
    const state = known ?? {
      breaker: breaker('mail_provider', { isFailure: (error) => error instanceof Outage, clock }),
      running: 0,
      waiting: new Set(),
      cooldownUntil: 0,
      cooldownProblem: 'rate_limited',
    }
    // when there are too many, the least recently used one is deleted
    connections.delete(connectionId)
    connections.set(connectionId, state)
    if (connections.size > connectionsMax)
      for (const [id, other] of connections) {
        if (other.running === 0 && other.waiting.size === 0) {
          connections.delete(id)
          break
        }
      }
    return state
  }

  /** Frees a place and wakes the next waiting call. */
  const release = (state: ConnectionState) => {
    state.running -= 1
    const [next] = state.waiting
    if (next) {
      state.waiting.delete(next)
      next()
    }
  }

  /** Waits for a free place; false when there is none before the deadline. A half-open breaker allows one call. */
  async function acquire(state: ConnectionState, deadline: number, signal: AbortSignal | undefined): Promise<boolean> {
    while (state.running >= (state.breaker.state === 'half_open' ? 1 : concurrency)) {
      const left = deadline - clock()
      if (left <= 0 || signal?.aborted) return false
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', wake)
          state.waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, left)
        signal?.addEventListener('abort', wake, { once: true })
        state.waiting.add(wake)
      })
    }
    state.running += 1
    return true
  }

  function setCooldown(state: ConnectionState, result: CallResult): void {
    const problem = problemOf(result)
    const cooldownMs =
      problem === 'rate_limited'
        ? retryAfterMs(result, new Date()) || defaultCooldownMs
        : problem === 'credential_refused'
          ? refusalCooldownMs
          : 0
    if (cooldownMs === 0 || problem === undefined) return
    state.cooldownUntil = Math.max(state.cooldownUntil, clock() + cooldownMs)
    state.cooldownProblem = problem
  }

  return {
    async call(connectionId, call) {
      const state = stateOf(connectionId)
      const deadline = clock() + (call.timeoutMs ?? 15_000)
      if (!(await acquire(state, deadline, call.signal))) return { kind: 'not_called', problem: 'unreachable' }
      try {
        if (clock() < state.cooldownUntil) return { kind: 'not_called', problem: state.cooldownProblem }
        return await state.breaker.run(async () => {
          const result = await callHttp({ ...call, timeoutMs: Math.max(1, Math.round(deadline - clock())) })
          setCooldown(state, result)
          if (outages.includes(problemOf(result))) throw new Outage(result)
          return result
        })
      } catch (error) {
        if (error instanceof Outage) return error.result
        if (error instanceof Fault) return { kind: 'not_called', problem: 'unreachable' }
        throw error
      } finally {
        release(state)
      }
    },
  }
}
