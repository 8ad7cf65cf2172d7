import type { JsonObject } from '@bufbuild/protobuf'
import type { RecentRun } from './recent-runs.ts'

/** A part of a rehearsal and how long it took. */
export interface RehearsalStage {
  name: string
  recipients: number
  milliseconds: number
}

/** Runs that a prediction is made from: those nearest in size, and of these the newest. */
const nearestMax = 3
/** Sizes within this factor are equally near. */
const sizeStep = 1.25

/** How far a real run may be from the slowest and the fastest of the runs that predict it. */
const margin = 1.25

/** Without a run to compare with, a real one may take half as long, or three times as long. */
const unknownMargin = { below: 2, above: 3 }

/** Of the request that schedules a run: its checks before the snapshot, and its answer, for which it looks every 100 ms. */
const requestSeconds = 0.1

/** The time of a real run that does not depend on its size: until a worker begins the snapshot, and until the first result. */
const fixedSeconds = { snapshot: 0.1, delivery: 0.1 }

const rounded = (seconds: number) => Math.round(seconds * 100) / 100

interface Duration {
  snapshot: number
  delivery: number
}

const totalOf = ({ snapshot, delivery }: Duration) => snapshot + delivery

/**
 * Predicts how long a real run of this many recipients takes on the same installation. A rehearsal has no provider, no commits, no
 * calls between services and none of the events that arrive meanwhile. So the prediction is made from the last runs of about this
 * size where the workspace has sent any: how long they took, corrected by the difference in size. Otherwise it is the sum of the
 * rehearsed stages.
 */
export function predictRun(
  stages: readonly RehearsalStage[],
  recipients: number,
  recentRuns: readonly RecentRun[],
): JsonObject & { total_seconds: number } {
  const secondsEach = (...names: string[]) =>
    stages
      .filter((stage) => names.includes(stage.name) && stage.recipients > 0)
      .reduce((sum, stage) => sum + stage.milliseconds / stage.recipients / 1_000, 0)
  const snapshotEach = secondsEach('eligibility', 'snapshot')
  if (recentRuns.length === 0) {
    const deliveryEach = secondsEach('claim', 'request', 'settle', 'delivery_check')
    const rehearsed = {
      snapshot: requestSeconds + fixedSeconds.snapshot + recipients * snapshotEach,
      delivery: fixedSeconds.delivery + recipients * deliveryEach,
    }
    const total = totalOf(rehearsed)
    return shown('rehearsal', 0, rehearsed, { from: total / unknownMargin.below, to: total * unknownMargin.above })
  }
  const distance = (run: RecentRun) => Math.floor(Math.abs(Math.log(run.recipients / recipients)) / Math.log(sizeStep))
  const predicted = recentRuns
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, nearestMax)
    .map((run) => ({
      snapshot: requestSeconds + Math.max(0, run.snapshotSeconds + (recipients - run.recipients) * snapshotEach),
      delivery: run.deliverySeconds + (recipients - run.recipients) * run.secondsEach,
    }))
  const totals = predicted.map(totalOf)
  const median = {
    snapshot: medianOf(predicted.map(({ snapshot }) => snapshot)),
    delivery: medianOf(predicted.map(({ delivery }) => delivery)),
  }
  return shown('recent_runs', predicted.length, median, {
    from: Math.min(...totals) / margin,
    to: Math.max(...totals) * margin,
  })
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const half = sorted.length / 2
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
}

const shown = (basis: string, runs: number, duration: Duration, between: { from: number; to: number }) => ({
  basis,
  runs,
  snapshot_seconds: rounded(duration.snapshot),
  delivery_seconds: rounded(duration.delivery),
  total_seconds: rounded(totalOf(duration)),
  at_least_seconds: rounded(between.from),
  at_most_seconds: rounded(between.to),
})
