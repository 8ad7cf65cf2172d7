/** The states of a message in order. The database function `message_state` computes them. */
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
