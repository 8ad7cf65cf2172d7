import type { OwnAudiences } from './own-audiences.ts'

const candidatesMax = 10

/** What is known about the audiences of a contact in an automation. */
interface Known {
  /** the audience of the trigger */
  readonly ofTrigger: string | null
  readonly own: OwnAudiences | undefined
  /** the audiences of which the contact is a member now */
  readonly memberships: readonly string[]
}

/**
 * The audiences under which an email may be sent, in order of preference: that of the trigger, then those that this enrollment
 * joined. If there is none, that of the first email of this enrollment, so that a contact who unsubscribes with one email gets no
 * other under another audience. The memberships count only while none of these is known. At most ten, each once.
 */
export function candidateAudiences({ ofTrigger, own, memberships }: Known): string[] {
  const chosen = [...(ofTrigger === null ? [] : [ofTrigger]), ...(own?.joined ?? [])]
  if (chosen.length > 0) return [...new Set(chosen)].slice(0, candidatesMax)
  return own?.ofFirstEmail ? [own.ofFirstEmail] : [...new Set(memberships)].slice(0, candidatesMax)
}
