import { rateLimit, tooMany } from '@lettergate/http/rate-limit'
import type { Authenticated } from './authenticate.ts'
import type { Plan } from './plan.ts'

/** Requests a minute, in this process. */
export interface CallerRatesOptions {
  /** one caller in one workspace, or outside of all */
  caller: number
  /** all callers of one workspace together */
  workspace: number
  /** the same for operations of `x-rate-class: expensive`, which count here too */
  expensiveCaller: number
  expensiveWorkspace: number
}

/** Limits callers who are known, so that no tenant takes from another. Both throw 429 with Retry-After, before the body is read. */
export interface CallerRates {
  /** Counts a request of somebody who was authenticated. */
  countRequest(caller: Authenticated): Promise<void>
  /** Counts a request that the caller may make. Only these count for a workspace, so that nobody else uses its rate up. */
  countAllowed(plan: Plan, caller: Authenticated): Promise<void>
}

/** A caller's rate is one for each of their workspaces: a flood in one of them leaves the others as they are. */
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
      // A caller who is over their own rate takes nothing from the workspace.
      if (isExpensive) await count(expensiveOfCaller, callerKey(caller), 'expensive_caller')
      const { workspace } = caller.principal
      if (workspace === null) return
      if (isExpensive) await count(expensiveOfWorkspace, workspace.id, 'expensive_workspace')
      await count(ofWorkspace, workspace.id, 'workspace')
    },
  }
}
