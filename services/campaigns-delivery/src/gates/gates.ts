import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'

/** The platform gates as this process knows them. */
export interface Gates {
  /**
   * Whether a gate is open. Uses an answer of at most 1 s, or of at most 15 s while identity is unavailable. Otherwise the
   * gate counts as closed.
   */
  isOpen(scope: CallScope, name: string): Promise<boolean>
  /** Clears the cached answer after a gate changed. */
  drop(): void
  /** Age of the cached answer in milliseconds. */
  ageMs(this: void): number
}

/**
 * Without a notification, closing a gate stops all calls of a run within 5 s: 1 s of cache, 2 s until the intent and 2 s until
 * the call. If identity answers slowly, it takes 1 s more, and while identity is unavailable, 19 s. With one, at once.
 */
const freshMs = 1_000
const usableMs = 15_000

/**
 * Reads effective gates from identity. The age of an answer is measured from before the request. Calls `onUnreadable` at each
 * question while there has been no answer for 15 s or longer, with the time since the last one.
 */
export function gates(
  identity: Pick<Client<typeof Identity>, 'getGates'>,
  {
    clock = () => performance.now(),
    onUnreadable = () => undefined,
  }: { clock?: () => number; onUnreadable?: (forMs: number) => void } = {},
): Gates {
  let known: { askedAt: number; effective: Readonly<Record<string, boolean>> } | undefined
  let asking: Promise<void> | undefined
  let generation = 0
  let answeredAt: number | undefined

  async function ask(scope: CallScope) {
    const askedAt = clock()
    const asked = generation
    answeredAt ??= askedAt
    const { effective } = await identity.getGates(scope, {}, { timeoutMs: 2_000 })
    answeredAt = askedAt
    // An answer that was under way while a gate changed may be outdated.
    if (asked === generation) known = { askedAt, effective }
  }

  return {
    async isOpen(scope, name) {
      if (!known || clock() - known.askedAt >= freshMs) {
        asking ??= ask(scope).finally(() => (asking = undefined))
        await asking.catch(() => undefined)
        const silentMs = clock() - (answeredAt ?? clock())
        if (silentMs >= usableMs) onUnreadable(silentMs)
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
