import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'

/** The platform switch of all enrollments and steps. */
export const automationGate = 'automation_enabled'

/** `unknown` while the gateway does not answer. Nothing runs then. */
export type AutomationGateState = 'open' | 'closed' | 'unknown'

export interface AutomationGate {
  /** The state as it was at most 3 s ago, or at most 15 s ago while the gateway does not answer. */
  state(scope: CallScope): Promise<AutomationGateState>
}

const freshMs = 3_000
const usableMs = 15_000
const answerWithinMs = 2_000

/** Reads the gate from identity. The age of an answer is measured from before the request; concurrent callers share one. */
export function openAutomationGate(
  identity: Pick<Client<typeof Identity>, 'getGates'>,
  clock: () => number = () => performance.now(),
): AutomationGate {
  let known: { askedAt: number; isOpen: boolean } | undefined
  let asking: Promise<void> | undefined

  async function ask(scope: CallScope) {
    const askedAt = clock()
    const { effective } = await identity.getGates(scope, {}, { timeoutMs: answerWithinMs })
    known = { askedAt, isOpen: effective[automationGate] === true }
  }

  return {
    async state(scope) {
      if (!known || clock() - known.askedAt >= freshMs) {
        asking ??= ask(scope).finally(() => (asking = undefined))
        await asking.catch(() => undefined)
      }
      if (!known || clock() - known.askedAt >= usableMs) return 'unknown'
      return known.isOpen ? 'open' : 'closed'
    },
  }
}
