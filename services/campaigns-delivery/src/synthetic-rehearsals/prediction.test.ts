import { expect, test } from '@jest/globals'
import { predictRun, type RehearsalStage } from './prediction.ts'
import type { RecentRun } from './recent-runs.ts'

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
const run = (recipients: number, deliverySeconds: number, secondsEach = 0.01): RecentRun => ({
  recipients,
  snapshotSeconds: recipients * 0.004,
  deliverySeconds,
  secondsEach,
})

test('without a run, a prediction has a fixed part and the stages of a real run for each recipient, and a wide range', () => {
  expect(predictRun(stages, 1_000, [])).toEqual({
    basis: 'rehearsal',
    runs: 0,
    snapshot_seconds: 4.2,
    delivery_seconds: 10.1,
    total_seconds: 14.3,
    at_least_seconds: 7.15,
    at_most_seconds: 42.9,
  })
  expect(predictRun([stage('claim', 400, 0)], 1_000, []).total_seconds).toBe(0.3)
})

test('with runs, a prediction is how long the runs of about this size took, corrected by the difference, and their range', () => {
  const runs = [run(10_000, 100), run(10_000, 120), run(11_000, 99, 0.009), run(100, 50, 0.5)]
  expect(predictRun(stages, 10_100, runs)).toEqual({
    basis: 'recent_runs',
    runs: 3,
    snapshot_seconds: 40.5,
    delivery_seconds: 101,
    total_seconds: 141.5,
    at_least_seconds: 105.12,
    at_most_seconds: 201.88,
  })
  expect(predictRun(stages, 10_100, [run(10_100, 101), run(10_100, 201)])['delivery_seconds']).toBe(151)
})

test('of runs that are equally near in size, the newest three count', () => {
  const older = Array.from({ length: 10 }, () => run(1_000, 9))
  const newest = [run(900, 1.9), run(1_200, 4.9), run(1_000, 2.9)]
  expect(predictRun(stages, 1_000, [...newest, ...older])).toMatchObject({ runs: 3, delivery_seconds: 2.9 })
})

test('a smaller run predicts a larger one, and a larger one a smaller one', () => {
  expect(predictRun(stages, 2_000, [run(1_000, 2, 0.001)])).toMatchObject({
    snapshot_seconds: 8.1,
    delivery_seconds: 3,
  })
  expect(predictRun(stages, 500, [run(1_000, 2, 0.001)])).toMatchObject({
    snapshot_seconds: 2.1,
    delivery_seconds: 1.5,
  })
})
