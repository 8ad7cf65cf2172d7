/** The totals of a run. */
export interface ReportCounts {
  sent: number
  delivered: number
  hardBounced: number
  softFailedOnly: number
}

/** A percentage with two decimals. null when the whole is 0. */
export function percentage(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 100
}

/** The four outcomes, whose sum is `sent`, and their rates. */
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

/** Days after the start of a run in which an unsubscribe is attributed to it. */
export const attributionDays = 7
