import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { secondsForEach } from './recent-runs.ts'
import { completedReport, failedReport, predictRun, stageReport, type RehearsalStage } from './rehearsal-report.ts'

const stage = (name: string, milliseconds: number, recipients = 100): RehearsalStage => ({
  name,
  recipients,
  milliseconds,
})
const stages = [
  stage('contacts', 5_000),
  stage('eligibility', 100),
  stage('delivery_check', 200),
  stage('snapshot', 300),
  stage('claim', 400),
  stage('request', 100),
  stage('settle', 300),
  stage('recovery', 9_000),
]

test('the prediction has the stages of a real run, for each recipient, and not those of the rehearsal only', () => {
  expect(predictRun(stages, 100, [])).toEqual({
    basis: 'rehearsal',
    snapshot_seconds: 0.4,
    delivery_seconds: 1,
    total_seconds: 1.4,
  })
  expect(predictRun(stages, 1_000, [])).toEqual({
    basis: 'rehearsal',
    snapshot_seconds: 4,
    delivery_seconds: 10,
    total_seconds: 14,
  })
  expect(predictRun([stage('claim', 400, 0)], 100, []).total_seconds).toBe(0)
})

test('where the workspace has sent runs, the delivery is predicted from those of about this size', () => {
  const recentRuns = [
    { recipients: 100, seconds: 5 },
    { recipients: 9_000, seconds: 90 },
    { recipients: 10_000, seconds: 120 },
    { recipients: 11_000, seconds: 99 },
  ]
  expect(predictRun(stages, 10_000, recentRuns)).toEqual({
    basis: 'recent_runs',
    snapshot_seconds: 40,
    delivery_seconds: 100,
    total_seconds: 140,
  })
  expect(secondsForEach(recentRuns.slice(0, 1), 10_000)).toBe(0.05)
  expect(secondsForEach([], 10_000)).toBeUndefined()
})

test('a report says whether the prediction is within the target', () => {
  const run = {
    runState: 'completed',
    snapshot: { included: 100, excluded: 10, exclusionCounts: { suppressed_audience: 10 }, batches: 4 },
    sent: 100,
    crashes: { before_intent: 1, after_intent: 1 },
  }
  const within = (targetSeconds: number) =>
    completedReport({ run, stages, batchSize: 25, targetSeconds, remaining: 0, recentRuns: [] })['prediction']
  expect([within(2), within(1)]).toMatchObject([{ within_target: true }, { within_target: false }])
})

test('a stage has a throughput, unless it took no time', () => {
  expect(stageReport(stage('claim', 200))['recipients_per_second']).toBe(500)
  expect(stageReport(stage('claim', 0))['recipients_per_second']).toBeNull()
})

test('a failed report names the reason of a refusal, and nothing of any other error', () => {
  expect(failedReport(new Fault('failed_precondition', 'a_reason', 'Its message.'))).toEqual({
    failure: { reason: 'a_reason', message: 'Its message.' },
  })
  expect(JSON.stringify(failedReport(new Error('a secret')))).not.toContain('secret')
})
