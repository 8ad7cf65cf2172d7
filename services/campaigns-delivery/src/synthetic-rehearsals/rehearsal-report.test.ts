import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import type { RehearsalStage } from './prediction.ts'
import { completedReport, failedReport, stageReport } from './rehearsal-report.ts'

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
