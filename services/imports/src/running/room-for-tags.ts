import { Fault } from '@lettergate/fault'

/** The new tags of a file, counted over its batches. */
export interface RoomForTags {
  /** Throws Fault `failed_precondition` if the workspace has no room for all new tags until now: an apply would be refused. */
  require(newTags: readonly string[], room: number): void
}

export function roomForTags(): RoomForTags {
  const names = new Set<string>()
  return {
    require(newTags, room) {
      for (const name of newTags) names.add(name)
      if (names.size <= room) return
      throw new Fault(
        'failed_precondition',
        'tags',
        `tags: the file has at least ${names.size} tags that the workspace does not have, and there is room for ${room}. Map the columns of these tags to ignore, or merge tags of the workspace.`,
      )
    },
  }
}
