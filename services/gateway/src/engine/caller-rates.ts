import { rateLimit, tooMany } from '@lettergate/http/rate-limit'
import type { Authenticated } from './authenticate.ts'
import type { Plan } from './plan.ts'

/** Requests per minute, in this process. */
export interface CallerRatesOptions {
  /** one caller in one workspace, or outside of workspaces */
  caller: number
  /** all callers of one workspace together */
  workspace: number
  /** the same for operations with `x-rate-class: expensive`, which count in both limits */
  expensiveCaller: number
  expensiveWorkspace: number
}

/** Rate limits of authenticated callers and of workspaces. Both throw 429 with Retry-After, before the body is read. */
export interface CallerRates {
  /** Counts a request of an authenticated caller. */
  countRequest(caller: Authenticated): Promise<void>
  /** Counts a request of an authorized caller for the workspace, so that other callers cannot use up its rate. */
  countAllowed(plan: Plan, caller: Authenticated): Promise<void>
}

/** A caller has a separate rate in each workspace. */
const callerKey = ({ authMethod, walletUserId, principal }: Authenticated) =>
  `${authMethod === 'service' ? 'service' : 'person'} ${principal.workspace?.id ?? '-'} ${walletUserId}`

export function callerRates(options: CallerRatesOptions): CallerRates {
  const ofCaller = rateLimit(options.caller)
  const ofWorkspace = rateLimit(options.workspace)
  const expensiveOfCaller = rateLimit(options.expensiveCaller)
  const expensiveOfWorkspace = rateLimit(options.expensiveWorkspace)

  async function count(limit: typeof ofCaller, key: string, name: string): Promise<void> {
    const wait = await limit.over(key)
    if (wait !== null) throw tooMany(wait, `rate_limit_${name}`)
  }

  return {
    countRequest: (caller) => count(ofCaller, callerKey(caller), 'caller'),
    async countAllowed({ rateClass }, caller) {
      const isExpensive = rateClass === 'expensive'
      // A request over the rate of the caller does not count for the workspace.
      if (isExpensive) await count(expensiveOfCaller, callerKey(caller), 'expensive_caller')
      const { workspace } = caller.principal
      if (workspace === null) return
      if (isExpensive) await count(expensiveOfWorkspace, workspace.id, 'expensive_workspace')
      await count(ofWorkspace, workspace.id, 'workspace')
    },
  }
}
