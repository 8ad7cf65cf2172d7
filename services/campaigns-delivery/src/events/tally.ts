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
  return moments.flatMap(([moment, facts]) => {
    const timed = new Map<number, number>()
    const add = (at: Date | undefined, people: 1 | -1) => {
      if (at === undefined) return
      const minute = Math.floor(at.getTime() / minuteLengthMs)
      timed.set(minute, (timed.get(minute) ?? 0) + people)
    }
    for (const { before, after } of changes) {
      const [was, is] = [earliestOf(before, facts), earliestOf(after, facts)]
      if (was === is) continue
      add(was, -1)
      add(is, 1)
    }
    return Array.from(timed, ([minute, people]) => ({
      runId,
      moment,
      minuteMs: minute * minuteLengthMs,
      people,
    })).filter(({ people }) => people !== 0)
  })
}

const minuteLengthMs = 60_000

/** The names of the facts as bits of a number. */
function setOf(facts: Facts): number {
  let set = 0
  for (const fact in facts) set |= bitOf[fact as FactName]
  return set
}

const bitOf = Object.fromEntries(factNames.map((fact, index) => [fact, 1 << index])) as Record<FactName, number>
