/** The changes of gates, workspaces, senders and domains that this process received. */
export interface HeardChanges {
  /** Returns a function that is true until a change that concerns this workspace is received. Call it before you ask. */
  watch(this: void, workspaceId: string): () => boolean
  /** Stores that these workspaces changed, or undefined: something that concerns all of them. */
  record(this: void, workspaceIds: ReadonlySet<string> | undefined): void
}

const workspacesMax = 10_000

/** Numbers the changes. Keeps the last one of at most 10,000 workspaces; with more, the next change counts for all of them. */
export function heardChanges(): HeardChanges {
  const lastOf = new Map<string, number>()
  let lastOfAll = 0
  let changes = 0

  return {
    watch(workspaceId) {
      const asked = changes
      return () => Math.max(lastOfAll, lastOf.get(workspaceId) ?? 0) <= asked
    },
    record(workspaceIds) {
      changes += 1
      if (workspaceIds && lastOf.size + workspaceIds.size <= workspacesMax) {
        for (const id of workspaceIds) lastOf.set(id, changes)
        return
      }
      lastOfAll = changes
      lastOf.clear()
    },
  }
}
