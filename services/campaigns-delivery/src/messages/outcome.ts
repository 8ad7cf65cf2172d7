/** The seven kinds of provider events. */
export const eventKinds = [
  'accepted',
  'delivered',
  'failed',
  'opened',
  'clicked',
  'unsubscribed',
  'complained',
] as const
export type MessageEventKind = (typeof eventKinds)[number]

/** The facts of a message. Each has the earliest time by the provider's clock. */
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

/** The part of a provider event that decides its fact. */
export interface EventMeaning {
  event: string
  severity?: string | undefined
  reason?: string | undefined
}

/**
 * Returns the fact of an event, or undefined for an unknown kind. A permanent failure because of the provider's own
 * suppression list (`suppress-*`) is a separate fact, because the address did not bounce now.
 */
export function factOf({ event, severity, reason }: EventMeaning): FactName | undefined {
  if (event === 'failed') {
    if (severity !== 'permanent') return 'soft_failed'
    return reason?.startsWith('suppress-') ? 'provider_suppressed' : 'hard_bounced'
  }
  return eventKinds.find((kind) => kind === event) as Exclude<MessageEventKind, 'failed'> | undefined
}

/**
 * Facts that are published to other services: those after which a contact may not be sent to. No service needs the others.
 * The provider's own suppressions are no bounces.
 */
export const announcedFacts: readonly FactName[] = ['hard_bounced', 'complained', 'unsubscribed']

/** The same for test sends, which have no audience that a contact could leave. */
export const testAnnouncedFacts: readonly FactName[] = ['hard_bounced', 'complained']

/** Adds one event to the known facts. The order does not matter and repeats change nothing: the earliest time is kept. */
export function addFact(facts: Facts, fact: FactName, at: Date): Facts {
  const known = facts[fact]
  return known !== undefined && known <= at ? facts : { ...facts, [fact]: at }
}

/** Returns the earliest time of these facts. */
export function earliestOf(facts: Facts, names: readonly FactName[]): Date | undefined {
  let first: Date | undefined
  for (const name of names) {
    const at = facts[name]
    if (at !== undefined && (first === undefined || at < first)) first = at
  }
  return first
}

/** The facts of a bounce. The database function `message_outcome` gives them the outcome `hard_bounced`. */
export const bounceFacts = ['hard_bounced', 'provider_suppressed'] as const satisfies readonly FactName[]

/** When a message bounced: the earliest fact of a bounce. */
export const bouncedAt = (facts: Facts): Date | undefined => earliestOf(facts, bounceFacts)

/** The outcomes of an accepted message. The database function `message_outcome` computes them. */
export const outcomes = ['delivered', 'hard_bounced', 'soft_failed_only', 'no_terminal_event'] as const
export type MessageOutcome = (typeof outcomes)[number]
