/** How many times what is left free a connection, and a workspace, may have under way in one worker. */
export const connectionWeight = 2
export const workspaceWeight = 3

/**
 * Whether somebody who has `own` of what can be under way at once may have one more, with `free` left. Who has none always
 * may. Others leave some free, and the less there is the less they get: however many hang, the next one finds room.
 */
export const mayHaveOneMore = (own: number, free: number, weight: number): boolean =>
  free > 0 && (own === 0 || own < weight * (free - 1))
