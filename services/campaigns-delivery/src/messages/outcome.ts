/** The seven kinds of the provider's event envelope. */
export const eventKinds = [
  'accepted',
  'delivered',
  'failed',
  'opened',
  'clicked',
  'unsubscribed',
  'complained',
] as const
export type EventKind = (typeof eventKinds)[number]

/** What is remembered of one message: when each thing was first said of it, by the provider's clock. */
export const factNames = [
  'accepted',
  'delivered',
  'soft_failed',
  'hard_bounced',
  'provider_suppressed',
  'complained',
  'opened',
  'clicked',
  'unsubscribed',
] as const
export type FactName = (typeof factNames)[number]
export type Facts = Partial<Record<FactName, Date>>

/** A provider event as far as it says something of a message. */
export interface EventMeaning {
  event: string
  severity?: string | undefined
  reason?: string | undefined
}

/**
 * The fact in an event, or undefined when it is of no known kind. A permanent failure that the provider made up itself,
 * because the address is on its own suppression list (`suppress-*`), is kept apart: the address did not bounce just now.
 */
export function factOf({ event, severity, reason }: EventMeaning): FactName | undefined {
  if (event === 'failed') {
    if (severity !== 'permanent') return 'soft_failed'
    return reason?.startsWith('suppress-') ? 'provider_suppressed' : 'hard_bounced'
  }
  return eventKinds.find((kind) => kind === event) as Exclude<EventKind, 'failed'> | undefined
}

/** Facts that other services are told of. That the provider took the message we know ourselves; its own suppressions are no bounce. */
export const announcedFacts: readonly FactName[] = [
  'delivered',
  'soft_failed',
  'hard_bounced',
  'complained',
  'opened',
  'clicked',
  'unsubscribed',
]

/** A test belongs to no run; other services hear of it only that the address must not be mailed. */
export const testAnnouncedFacts: readonly FactName[] = ['hard_bounced', 'complained']

/** Adds one event to what is known. The order of events does not matter and a repeat changes nothing: the earliest time stands. */
export function learn(facts: Facts, fact: FactName, at: Date): Facts {
  const known = facts[fact]
  return known !== undefined && known <= at ? facts : { ...facts, [fact]: at }
}

/** Where an accepted message ended. The database says which: `message_outcome`. */
export const outcomes = ['delivered', 'hard_bounced', 'soft_failed_only', 'no_terminal_event'] as const
export type MessageOutcome = (typeof outcomes)[number]
