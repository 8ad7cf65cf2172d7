/** How many times the free capacity a connection, and a workspace, may have under way in one worker. */
export const connectionWeight = 2
export const workspaceWeight = 3

/**
 * Whether a party with `own` calls under way may start one more, with `free` left. A party without any always may. The less
 * is free, the less each party gets, so that parties whose calls hang leave room for others.
 */
export const mayHaveOneMore = (own: number, free: number, weight: number): boolean =>
  free > 0 && (own === 0 || own < weight * (free - 1))
