/** A new key for one intended action. Keep it, and send the same key with each repeat of that action. */
export const idempotencyKey = (): string => crypto.randomUUID()
