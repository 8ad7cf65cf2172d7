const candidatesMax = 10

/**
 * The audiences under which an email may be sent, in order of preference: that of the trigger, then those that this enrollment
 * joined, then those of which the contact is a member. At most ten, each once.
 */
export const candidateAudiences = (
  ofTrigger: string | null,
  joined: readonly string[],
  memberships: readonly string[],
): string[] =>
  [...new Set([...(ofTrigger === null ? [] : [ofTrigger]), ...joined, ...memberships])].slice(0, candidatesMax)
