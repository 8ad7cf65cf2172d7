/** Where a message stands, in the order in which it goes through them. The database says which: `message_state`. */
export const recipientStates = [
  'pending',
  'claimed',
  'accepted',
  'delivered',
  'soft_failed',
  'hard_bounced',
  'skipped',
  'failed',
  'unknown',
] as const
export type RecipientState = (typeof recipientStates)[number]
