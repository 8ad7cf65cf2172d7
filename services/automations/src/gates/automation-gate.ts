import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { GetGatesResponse, Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'

/** The platform switch of all enrollments and steps. */
export const automationGate = 'automation_enabled'

/** `unknown` while the gateway does not answer. Nothing runs then. */
export type AutomationGateState = 'open' | 'closed' | 'unknown'

interface GateReading {
  readonly state: AutomationGateState
  /** Whether the gate was closed at this time, as far as the answer tells. */
  readonly wasClosedAt: (time: Date) => boolean
}

export interface AutomationGate {
  /** The gate as it was at most 1 s ago, or at most 15 s ago while the gateway does not answer. */
  read(scope: CallScope): Promise<GateReading>
  /** The gate as it is now, whatever is known. `unknown` if the gateway does not answer. */
  readNow(scope: CallScope): Promise<GateReading>
  /** `state` of `read`. */
  state(scope: CallScope): Promise<AutomationGateState>
  /** Clears the known state after a gate changed. */
  drop(): void
}

const freshMs = 1_000
const usableMs = 15_000
const answerWithinMs = 2_000

/** Reads the gate from identity. The age of an answer is measured from before the request; concurrent callers share one. */
export function openAutomationGate(
  identity: Pick<Client<typeof Identity>, 'getGates'>,
  clock: () => number = () => performance.now(),
): AutomationGate {
  let known: { askedAt: number; reading: GateReading } | undefined
  let asking: Promise<unknown> | undefined
  let generation = 0

  async function ask(scope: CallScope): Promise<GateReading> {
    const askedAt = clock()
    const asked = generation
    const answer = await identity.getGates(scope, { closingsOf: automationGate }, { timeoutMs: answerWithinMs })
    const reading = readingOf(answer)
    // An answer may be outdated if a gate changed while it was under way, or if a later question was answered first.
    if (asked === generation && (!known || known.askedAt <= askedAt)) known = { askedAt, reading }
    return reading
  }

  return {
    async read(scope) {
      if (!known || clock() - known.askedAt >= freshMs) {
        asking ??= ask(scope)
        const asked = asking
        await asked.catch(() => undefined)
        if (asking === asked) asking = undefined
      }
      return known && clock() - known.askedAt < usableMs ? known.reading : unknown
    },
    readNow: (scope) => ask(scope).catch(() => unknown),
    async state(scope) {
      return (await this.read(scope)).state
    },
    drop() {
      known = undefined
      asking = undefined
      generation += 1
    },
  }
}

const unknown: GateReading = { state: 'unknown', wasClosedAt: () => false }

const readingOf = ({ effective, closings }: GetGatesResponse): GateReading => {
  const times = closings.map(({ closedAt, openedAt }) => ({
    from: timestampDate(closedAt!),
    until: openedAt && timestampDate(openedAt),
  }))
  return {
    state: effective[automationGate] === true ? 'open' : 'closed',
    wasClosedAt: (time) => times.some(({ from, until }) => time >= from && (until === undefined || time < until)),
  }
}
