import { bounceFacts, earliestOf, factNames, type FactName, type Facts } from '../messages/outcome.ts'

/** The kinds of the timeline, each with its facts. The earliest fact sets the minute. */
const momentFacts = {
  delivered: ['delivered'],
  bounced: bounceFacts,
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

/** The moments that each fact is part of. */
const momentsOf = Object.fromEntries(
  factNames.map((fact) => [fact, moments.filter(([, facts]) => facts.includes(fact))]),
) as Record<FactName, typeof moments>

/**
 * Computes what fact changes add to the tallies and the timeline of their runs. The database maps facts to outcomes. The groups
 * of a run have numbers as keys, because a text for each change takes several times longer.
 */
export function tally(changes: readonly FactChange[]): { moved: OutcomeChange[]; timed: TimelineChange[] } {
  const moved: OutcomeChange[] = []
  const timed: TimelineChange[] = []
  for (const [runId, ofRun] of Map.groupBy(changes, (change) => change.runId)) {
    moved.push(...movedIn(runId, ofRun))
    timed.push(...timedIn(runId, ofRun))
  }
  return { moved, timed }
}

function movedIn(runId: string, changes: readonly FactChange[]): Iterable<OutcomeChange> {
  const moved = new Map<number, OutcomeChange>()
  for (const { before, after } of changes) {
    const [was, is] = [setOf(before), setOf(after)]
    if (was === is) continue
    const key = was * 2 ** factNames.length + is
    const known = moved.get(key)
    if (known) known.people += 1
    else moved.set(key, { runId, before: Object.keys(before).sort(), after: Object.keys(after).sort(), people: 1 })
  }
  return moved.values()
}

function timedIn(runId: string, changes: readonly FactChange[]): Iterable<TimelineChange> {
  const timed = new Map<TimelineKind, Map<number, TimelineChange>>(moments.map(([moment]) => [moment, new Map()]))
  const add = (moment: TimelineKind, atMs: number, people: 1 | -1) => {
    const minuteMs = Math.floor(atMs / 60_000) * 60_000
    const minutes = timed.get(moment)!
    const known = minutes.get(minuteMs)
    if (known) known.people += people
    else minutes.set(minuteMs, { runId, moment, minuteMs, people })
  }
  for (const { before, after } of changes) {
    for (const [moment, facts] of changedMoments(before, after)) {
      const [wasAt, isAt] = [earliestOf(before, facts)?.getTime(), earliestOf(after, facts)?.getTime()]
      if (wasAt === isAt) continue
      if (wasAt !== undefined) add(moment, wasAt, -1)
      add(moment, isAt!, 1)
    }
  }
  return [...timed.values()].flatMap((minutes) => [...minutes.values()].filter(({ people }) => people !== 0))
}

const none: typeof moments = []

/** The moments with a fact that is new or has another time. */
function changedMoments(before: Facts, after: Facts): typeof moments {
  let changed = none
  for (const name in after) {
    const fact = name as FactName
    if (before[fact]?.getTime() === after[fact]!.getTime()) continue
    const others = momentsOf[fact].filter((moment) => !changed.includes(moment))
    if (others.length > 0) changed = changed.length === 0 ? others : [...changed, ...others]
  }
  return changed
}

/** The names of the facts as bits of a number. */
function setOf(facts: Facts): number {
  let set = 0
  for (const fact in facts) set |= bitOf[fact as FactName]
  return set
}

const bitOf = Object.fromEntries(factNames.map((fact, index) => [fact, 1 << index])) as Record<FactName, number>
