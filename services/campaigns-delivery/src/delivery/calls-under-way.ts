import { connectionWeight, mayHaveOneMore, workspaceWeight } from './share.ts'

/** The calls that this worker has under way. A call costs it memory and a socket only, so there are more than batches in preparation. */
export interface CallsUnderWay {
  /** Room for a batch of this connection until the answer was called, or undefined when others need what is left. */
  enter(workspaceId: string, connectionId: string): (() => void) | undefined
}

/** Keeps the calls of one process within `total`, and none of them for one connection or workspace alone. */
export function callsUnderWay(total: number): CallsUnderWay {
  const byConnection = new Map<string, number>()
  const byWorkspace = new Map<string, number>()
  let all = 0

  const add = (counts: Map<string, number>, key: string, difference: 1 | -1) => {
    const now = (counts.get(key) ?? 0) + difference
    if (now === 0) counts.delete(key)
    else counts.set(key, now)
  }
  const count = (workspaceId: string, connectionId: string, difference: 1 | -1) => {
    all += difference
    add(byConnection, connectionId, difference)
    add(byWorkspace, workspaceId, difference)
  }

  return {
    enter(workspaceId, connectionId) {
      const free = total - all
      const mayEnter =
        mayHaveOneMore(byConnection.get(connectionId) ?? 0, free, connectionWeight) &&
        mayHaveOneMore(byWorkspace.get(workspaceId) ?? 0, free, workspaceWeight)
      if (!mayEnter) return undefined
      count(workspaceId, connectionId, 1)
      let isIn = true
      return () => {
        if (isIn) count(workspaceId, connectionId, -1)
        isIn = false
      }
    },
  }
}
