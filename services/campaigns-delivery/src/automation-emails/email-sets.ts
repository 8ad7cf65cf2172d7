import type { StepEmail } from './email-input.ts'

/** Emails that one call to the provider can carry: of one automation, content and sender, to different contacts. */
export interface EmailSet {
  automationId: string
  contentVersionId: string
  senderIdentityId: string
  /** of messages that are stored already; undefined: they get a new one */
  batch: number | undefined
  /** one recipient in each call */
  isSingle: boolean
  emails: readonly StepEmail[]
}

/**
 * Divides emails into sets of at most `sizeMax`, in their order. Messages that are stored stay with those of their batch, and
 * two messages to one contact are in different sets, because a call has one set of values for each address.
 */
export function setsOf(
  emails: readonly StepEmail[],
  stored: (stepId: string) => { batch: number; is_single: boolean } | undefined,
  sizeMax: number,
): EmailSet[] {
  const open = new Map<string, (EmailSet & { emails: StepEmail[]; contactIds: Set<string> })[]>()
  const all: EmailSet[] = []
  for (const email of emails) {
    const known = stored(email.stepId)
    const { automationId, contentVersionId, senderIdentityId } = email
    const [batch, isSingle] = [known?.batch, known?.is_single ?? false]
    const key = [automationId, contentVersionId, senderIdentityId, batch, isSingle].join(' ')
    const sets = open.get(key) ?? []
    open.set(key, sets)
    const fitting = sets.find((set) => set.emails.length < sizeMax && !set.contactIds.has(email.contactId))
    if (fitting) {
      fitting.emails.push(email)
      fitting.contactIds.add(email.contactId)
      continue
    }
    const made = {
      automationId,
      contentVersionId,
      senderIdentityId,
      batch,
      isSingle,
      emails: [email],
      contactIds: new Set([email.contactId]),
    }
    sets.push(made)
    all.push(made)
  }
  return all
}
