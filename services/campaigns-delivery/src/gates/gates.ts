import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'

/** The platform gates as this process may rely on them. */
export interface Gates {
  /** Whether a gate is open, by an answer at most 3 s old, or 15 s while identity does not answer. Otherwise it is closed. */
  isOpen(scope: CallScope, name: string): Promise<boolean>
  /** Forgets what is known: somebody changed a gate. */
  drop(): void
  /** Age of what is known, milliseconds. */
  ageMs(this: void): number
}

/** 3 s of cache and the 2 s in which a hand-off must follow its intent make the 5 s in which closing a gate stops everything. */
const freshMs = 3_000
const usableMs = 15_000

/** Reads effective gates from identity. The age of an answer counts from before the question left. */
export function gates(
  identity: Pick<Client<typeof Identity>, 'getGates'>,
  clock: () => number = () => performance.now(),
): Gates {
  let known: { askedAt: number; effective: Readonly<Record<string, boolean>> } | undefined
  let asking: Promise<void> | undefined
  let generation = 0

  async function ask(scope: CallScope) {
    const askedAt = clock()
    const asked = generation
    const { effective } = await identity.getGates(scope, {}, { timeoutMs: 2_000 })
    // An answer that was on its way while a gate changed may be the old one.
    if (asked === generation) known = { askedAt, effective }
  }

  return {
    async isOpen(scope, name) {
      if (!known || clock() - known.askedAt >= freshMs) {
        asking ??= ask(scope).finally(() => (asking = undefined))
        await asking.catch(() => undefined)
      }
      return known !== undefined && clock() - known.askedAt < usableMs && known.effective[name] === true
    },
    drop() {
      known = undefined
      asking = undefined
      generation += 1
    },
    ageMs: () => (known ? clock() - known.askedAt : usableMs),
  }
}
