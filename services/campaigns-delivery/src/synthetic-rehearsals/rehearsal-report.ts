import type { JsonObject } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'
import { predictRun, type RehearsalStage } from './prediction.ts'
import type { RecentRun } from './recent-runs.ts'

const rounded = (value: number) => Math.round(value * 10) / 10

/** The report of a stage. A stage that took no measurable time has no throughput. */
export const stageReport = ({ name, recipients, milliseconds }: RehearsalStage): JsonObject => ({
  name,
  recipients,
  milliseconds: rounded(milliseconds),
  recipients_per_second: milliseconds > 0 ? Math.round((recipients * 1_000) / milliseconds) : null,
})

/** What a rehearsal found out. */
export interface Rehearsed {
  run: {
    runState: string
    snapshot: { included: number; excluded: number; exclusionCounts: Record<string, number>; batches: number }
    sent: number
    crashes: { before_intent: number; after_intent: number }
  }
  stages: readonly RehearsalStage[]
  batchSize: number
  targetSeconds: number
  remaining: number
  recentRuns: readonly RecentRun[]
}

/** The report of a rehearsal that ran to its end. The checksum covers exactly this. */
export function completedReport({
  run,
  stages,
  batchSize,
  targetSeconds,
  remaining,
  recentRuns,
}: Rehearsed): JsonObject {
  const { snapshot, crashes, sent, runState } = run
  const prediction = predictRun(stages, snapshot.included, recentRuns)
  return {
    run_state: runState,
    recipients: {
      eligible: snapshot.included,
      excluded: snapshot.excluded,
      sent,
      exclusion_counts: snapshot.exclusionCounts,
    },
    batches: { count: snapshot.batches, size: batchSize },
    crashes: { before_intent: crashes.before_intent, after_intent: crashes.after_intent },
    stages: stages.map(stageReport),
    prediction: { ...prediction, within_target: prediction.total_seconds <= targetSeconds },
    remaining_rows: remaining,
  }
}

/** The report of a rehearsal that did not run to its end: the stable reason and its words. */
export const failedReport = (error: unknown): JsonObject => ({
  failure:
    error instanceof Fault
      ? { reason: error.reason, message: error.message }
      : {
          reason: 'internal_error',
          message: 'The rehearsal ended with an internal error. The log of the worker has it.',
        },
})

/** The report of a rehearsal whose worker died. */
export const lostReport: JsonObject = {
  failure: { reason: 'worker_lost', message: 'The worker ended during the rehearsal. Start a new one.' },
}
