interface OfWorkspace {
  readonly event: { readonly workspaceId: string | null }
}

/**
 * Moves the events that are handled next to the front, and answers them: at most `most`, an equal share for each workspace, and what
 * is left of it for those who came first. The events of a workspace stay in their order.
 */
export function takeShares<E extends OfWorkspace>(waiting: E[], most: number): E[] {
  if (waiting.length <= most) return [...waiting]
  const groups = [...Map.groupBy(waiting, ({ event }) => event.workspaceId).values()]
  const share = Math.max(1, Math.floor(most / groups.length))
  const taken = new Set(groups.flatMap((group) => group.slice(0, share)).slice(0, most))
  for (const one of waiting) {
    if (taken.size === most) break
    taken.add(one)
  }
  const { next = [], later = [] } = Object.groupBy(waiting, (one) => (taken.has(one) ? 'next' : 'later'))
  for (const [at, one] of [...next, ...later].entries()) waiting[at] = one
  return next
}
