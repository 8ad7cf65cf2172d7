/** One message that the provider has accepted. */
export interface Mailed {
  address: string
  messageId: string
  /** the result of the message, as the provider names it */
  events: readonly string[]
}

/** One row of the run's recipient list. */
export interface Listed {
  address: string
  messageId: string
  state: string
}

export interface Findings {
  /** the normalized addresses of the included recipients */
  included: readonly string[]
  /** the provider's ledger */
  mailed: readonly Mailed[]
  /** the run's recipient list */
  listed: readonly Listed[]
  /** the run's report, its events as `events.<kind>` */
  report: Readonly<Record<string, unknown>>
}

/** States of a message that was not sent, or whose result is unknown. */
const namedEnds = ['skipped', 'failed', 'unknown']
/** States of a message that the provider accepted. */
const mailedStates = ['accepted', 'delivered', 'soft_failed', 'hard_bounced']

const normalized = (address: string) => address.trim().toLowerCase()

/**
 * Everything in which the provider's ledger, the recipient list and the report disagree with each other or with what a run
 * guarantees: no duplicate, no loss, and a report that equals the ledger. Empty without differences.
 */
export function differences(findings: Findings): string[] {
  return [...twice(findings), ...lost(findings), ...reportDifferences(findings)]
}

function twice({ mailed, included }: Findings): string[] {
  const known = new Set(included)
  const byAddress = Map.groupBy(mailed, ({ address }) => normalized(address))
  return [...byAddress].flatMap(([address, messages]) => [
    ...(messages.length > 1
      ? [`${address} was mailed ${messages.length} times: ${messages.map(({ messageId }) => messageId).join(', ')}`]
      : []),
    ...(known.has(address) ? [] : [`${address} was mailed and is not a recipient`]),
  ])
}

function lost({ included, mailed, listed }: Findings): string[] {
  const idByAddress = new Map(mailed.map(({ address, messageId }) => [normalized(address), messageId]))
  const rowsByAddress = Map.groupBy(listed, ({ address }) => normalized(address))
  const known = new Set(included)
  const notIncluded = listed.filter(({ address }) => !known.has(normalized(address)))
  return [
    ...notIncluded.map(({ address }) => `${address} is listed and was never included`),
    ...included.flatMap((address) => {
      const [row, ...more] = rowsByAddress.get(address) ?? []
      const messageId = idByAddress.get(address)
      if (!row) return [`${address} is not in the recipient list`]
      if (more.length > 0) return [`${address} is listed ${more.length + 1} times`]
      if (messageId === undefined)
        return namedEnds.includes(row.state) ? [] : [`${address} is lost: never mailed, and listed as ${row.state}`]
      if (!mailedStates.includes(row.state)) return [`${address} was mailed and is listed as ${row.state}`]
      return row.messageId === messageId ? [] : [`${address} was mailed as ${messageId}, listed as ${row.messageId}`]
    }),
  ]
}

/** Differences between the report and the sums of the ledger and the list. */
export function reportDifferences({ mailed, listed, report }: Omit<Findings, 'included'>): string[] {
  return Object.entries(expectedReport(mailed, listed)).flatMap(([name, expected]) =>
    report[name] === expected ? [] : [`the report's ${name} is ${String(report[name])}, and it should be ${expected}`],
  )
}

/** The report that follows from the provider's ledger, and, for recipients without a message, from the list. */
export function expectedReport(mailed: readonly Mailed[], listed: readonly Listed[]): Record<string, number> {
  const having = (event: string) => mailed.filter(({ events }) => events.includes(event)).length
  const told = (...kinds: string[]) =>
    mailed.flatMap(({ events }) => events.filter((kind) => kinds.includes(kind))).length
  const inState = (state: string) => listed.filter((row) => row.state === state).length
  const ended = Map.groupBy(mailed, ({ events }) =>
    events.includes('permanent_fail')
      ? 'hard_bounced'
      : events.includes('delivered')
        ? 'delivered'
        : events.includes('temporary_fail')
          ? 'soft_failed_only'
          : 'no_terminal_event',
  )
  return {
    sent: mailed.length,
    delivered: ended.get('delivered')?.length ?? 0,
    hard_bounced: ended.get('hard_bounced')?.length ?? 0,
    soft_failed_only: ended.get('soft_failed_only')?.length ?? 0,
    no_terminal_event: ended.get('no_terminal_event')?.length ?? 0,
    opened_recipients: having('opened'),
    clicked_recipients: having('clicked'),
    complained: having('complained'),
    unsubscribes_attributed: having('unsubscribed'),
    skipped: inState('skipped'),
    failed: inState('failed'),
    unknown: inState('unknown'),
    'events.accepted': told('accepted'),
    'events.delivered': told('delivered'),
    'events.failed': told('permanent_fail', 'temporary_fail'),
    'events.opened': told('opened'),
    'events.clicked': told('clicked'),
    'events.unsubscribed': told('unsubscribed'),
    'events.complained': told('complained'),
  }
}
