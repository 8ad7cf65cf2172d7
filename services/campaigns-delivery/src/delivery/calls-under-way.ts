import { connectionWeight, mayHaveOneMore, workspaceWeight } from './share.ts'

/**
 * Limits the provider calls that one worker has under way. A waiting call costs only memory and a socket, so more calls than
 * batches in preparation are allowed.
 */
export interface CallsUnderWay {
  /**
   * Reserves a place for a call of this connection and returns the function that frees it. Undefined if the remaining places
   * are kept for others.
   */
  enter(workspaceId: string, connectionId: string): (() => void) | undefined
}

/** Limits the calls of one process to `total` and leaves places for other connections and workspaces. */
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
