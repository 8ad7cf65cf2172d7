import { factNames, type FactName, type Facts } from '../messages/outcome.ts'

/** The kinds of the timeline, each with its facts. The earliest fact sets the minute. */
const momentFacts = {
  delivered: ['delivered'],
  bounced: ['hard_bounced', 'provider_suppressed'],
  opened: ['opened'],
  clicked: ['clicked'],
  complained: ['complained'],
  unsubscribed: ['unsubscribed'],
} as const satisfies Record<string, readonly FactName[]>
export type TimelineKind = keyof typeof momentFacts
const moments = Object.entries(momentFacts) as [TimelineKind, readonly FactName[]][]

/** The facts of one message of a run, before and after. */
export interface FactChange {
  runId: string
  before: Facts
  after: Facts
}

/** The number of recipients whose facts changed in the same way. */
export interface OutcomeChange {
  runId: string
  before: readonly string[]
  after: readonly string[]
  people: number
}

/** The number of recipients to add to, or subtract from, a minute of the timeline. */
export interface TimelineChange {
  runId: string
  moment: TimelineKind
  /** start of the minute, in milliseconds since 1970 */
  minuteMs: number
  people: number
}

/** Computes what fact changes add to the tallies and the timeline of their runs. The database maps facts to outcomes. */
export function tally(changes: readonly FactChange[]): { moved: OutcomeChange[]; timed: TimelineChange[] } {
  const moved = new Map<string, OutcomeChange>()
  const timed = new Map<string, TimelineChange>()
  const addMoment = (runId: string, moment: TimelineKind, { atMs, people }: { atMs: number; people: number }) => {
    const minuteMs = Math.floor(atMs / 60_000) * 60_000
    const key = `${runId} ${moment} ${minuteMs}`
    const known = timed.get(key)
    if (known) known.people += people
    else timed.set(key, { runId, moment, minuteMs, people })
  }
  for (const { runId, before, after } of changes) {
    const [was, is] = [setOf(before), setOf(after)]
    if (was !== is) {
      const key = `${runId} ${was} ${is}`
      const known = moved.get(key)
      if (known) known.people += 1
      else moved.set(key, { runId, before: Object.keys(before).sort(), after: Object.keys(after).sort(), people: 1 })
    }
    for (const [moment, facts] of moments) {
      const [wasAt, isAt] = [earliest(before, facts), earliest(after, facts)]
      if (wasAt === isAt) continue
      if (wasAt !== undefined) addMoment(runId, moment, { atMs: wasAt, people: -1 })
      addMoment(runId, moment, { atMs: isAt!, people: 1 })
    }
  }
  return { moved: [...moved.values()], timed: [...timed.values()].filter(({ people }) => people !== 0) }
}

/** The names of the facts as bits of a number. */
function setOf(facts: Facts): number {
  let set = 0
  for (const fact in facts) set |= bitOf[fact as FactName]
  return set
}

const bitOf = Object.fromEntries(factNames.map((fact, index) => [fact, 1 << index])) as Record<FactName, number>

function earliest(facts: Facts, names: readonly FactName[]): number | undefined {
  let first: number | undefined
  for (const name of names) {
    const at = facts[name]?.getTime()
    if (at !== undefined && (first === undefined || at < first)) first = at
  }
  return first
}
