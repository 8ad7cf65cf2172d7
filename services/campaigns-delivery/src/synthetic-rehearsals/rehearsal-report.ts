import type { JsonObject } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'
import { secondsForEach, type RecentRun } from './recent-runs.ts'

/** A part of a rehearsal and how long it took. */
export interface RehearsalStage {
  name: string
  recipients: number
  milliseconds: number
}

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

const parts = ['claim', 'request', 'settle', 'delivery_check']

/**
 * Predicts a real run of this many recipients on the same installation. The rehearsal has no provider, no commits, no calls
 * between services and none of the events that arrive meanwhile, so its stages alone are a lower bound of the delivery. Where
 * the workspace has sent runs, their measured rate counts.
 */
export function predictRun(stages: readonly RehearsalStage[], recipients: number, recentRuns: readonly RecentRun[]) {
  const perRecipient = (name: string) => {
    const stage = stages.find((one) => one.name === name)
    return stage && stage.recipients > 0 ? stage.milliseconds / stage.recipients : 0
  }
  const rehearsedMs = recipients * parts.reduce((sum, name) => sum + perRecipient(name), 0)
  const measured = secondsForEach(recentRuns, recipients)
  const deliveryMs = measured === undefined ? rehearsedMs : recipients * measured * 1_000
  const snapshotMs = recipients * (perRecipient('eligibility') + perRecipient('snapshot'))
  return {
    basis: measured === undefined ? 'rehearsal' : 'recent_runs',
    snapshot_seconds: rounded(snapshotMs / 1_000),
    delivery_seconds: rounded(deliveryMs / 1_000),
    total_seconds: rounded((snapshotMs + deliveryMs) / 1_000),
  }
}
