import type { MailgunWebhookType } from './account.ts'

export interface Step {
  readonly kind: MailgunWebhookType
  /** Milliseconds after the previous step. */
  readonly afterMs: number
}

const soon = 120
const later = 300

const plans: Readonly<Record<string, readonly Step[]>> = {
  hardbounce: [{ kind: 'permanent_fail', afterMs: soon }],
  softfail: [{ kind: 'temporary_fail', afterMs: soon }],
  softthenok: [
    { kind: 'temporary_fail', afterMs: soon },
    { kind: 'delivered', afterMs: later },
  ],
  complain: [
    { kind: 'delivered', afterMs: soon },
    { kind: 'complained', afterMs: later },
  ],
  unsubscribe: [
    { kind: 'delivered', afterMs: soon },
    { kind: 'unsubscribed', afterMs: later },
  ],
  open: [
    { kind: 'delivered', afterMs: soon },
    { kind: 'opened', afterMs: later },
  ],
  click: [
    { kind: 'delivered', afterMs: soon },
    { kind: 'clicked', afterMs: later },
  ],
  silent: [],
}
const ordinary: readonly Step[] = [{ kind: 'delivered', afterMs: soon }]

/** The events of a message after it was accepted, by the recipient's local part: `anna+hardbounce@…`. */
export function planFor(address: string): readonly Step[] {
  const local = address.slice(0, address.lastIndexOf('@'))
  const plus = local.lastIndexOf('+')
  return (plus < 0 ? undefined : plans[local.slice(plus + 1).toLowerCase()]) ?? ordinary
}
