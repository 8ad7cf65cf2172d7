/** A run counted: what its recipients, hand-offs and events add up to. */
export interface ReportCounts {
  sent: number
  delivered: number
  hardBounced: number
  softFailedOnly: number
}

/** A part of a whole as a percentage with two decimals; null of nothing. */
export function percentage(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 100
}

/** The four outcomes, which sum to sent, and the rates made of them. */
export function outcomesOf({ sent, delivered, hardBounced, softFailedOnly }: ReportCounts) {
  const noTerminalEvent = sent - delivered - hardBounced - softFailedOnly
  if (noTerminalEvent < 0) throw new Error('more outcomes than messages sent')
  return {
    sent,
    delivered,
    hardBounced,
    softFailedOnly,
    noTerminalEvent,
    deliveryRate: percentage(delivered, sent) ?? undefined,
    bounceRate: percentage(hardBounced, sent) ?? undefined,
  }
}

/** How long after the start of a run an unsubscribe is put down to it. */
export const attributionDays = 7
