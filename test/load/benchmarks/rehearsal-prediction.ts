import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, signInAs } from '@lettergate/demo/api'
import { audienceOf } from '../audience.ts'
import { workspace, type Bench } from '../bench.ts'
import { schedule } from '../campaigns.ts'
import { configureProvider } from '../provider.ts'
import type { Result } from '../result.ts'

/** Settings with which rehearsals may run. */
export const rehearsalsAllowed = { SYNTHETIC_REHEARSALS_ENABLED: 'true' }

/** Synthetic recipients. A tenth of them is not eligible, so that runs of about 2,000 and of 9,000 are predicted. */
const sizes = [2_223, 10_000]
/** Of a messages call at the provider. Without latency, the processors of the machine are the limit. */
const latencies = [0, 100]
/** Unmeasured: a prediction is made from three runs, and the first ones of a stack are slower, because its code and connections are new. */
const roundsBefore = 3
const rounds = 5

/**
 * Compares the prediction of a synthetic rehearsal with a real run of as many eligible recipients, several times for each latency
 * and size, with the events of the provider. The first three rounds are printed and do not count. The goal is a median ratio from 0.8 to 1.25.
 */
export async function rehearsalPrediction(bench: Bench): Promise<Result[]> {
  const browser = openApi(bench.stack.base_url, await signInAs('owner', bench.stack.base_url))
  await browser.ok('PUT', '/console/api/platform/gates/synthetic_rehearsals_enabled', { enabled: true })
  await browser.close()
  const results: Result[] = []
  for (const latencyMs of latencies) {
    await configureProvider(bench.stack, 'faults', { mode: 'none', latency_ms: latencyMs })
    for (const recipients of sizes) results.push(await predicted(bench, recipients, latencyMs))
  }
  return results
}

async function predicted(bench: Bench, recipients: number, latencyMs: number): Promise<Result> {
  const members = recipients - Math.floor(recipients / 10)
  const audienceId = await audienceOf(bench, members)
  const compared: { prediction: number; real: number }[] = []
  for (let round = 0; round < roundsBefore + rounds; round += 1) {
    const { prediction, stages } = await rehearse(bench, recipients)
    const { snapshot, delivery } = await runOf(bench, audienceId)
    const real = snapshot + delivery
    bench.print(
      `run ${round} of ${members}: ${snapshot.toFixed(2)} + ${delivery.toFixed(2)} s, ratio ${(prediction.total_seconds / real).toFixed(2)}; predicted ${JSON.stringify(prediction)}; ${stages}`,
    )
    if (round >= roundsBefore) compared.push({ prediction: prediction.total_seconds, real })
  }
  const inOrder = compared.toSorted((one, other) => one.prediction / one.real - other.prediction / other.real)
  const middle = inOrder[Math.floor(inOrder.length / 2)]!
  return {
    name: `prediction of a run of ${members}, ${latencyMs} ms`,
    unit: 'ms',
    ours: middle.prediction * 1_000,
    floor: middle.real * 1_000,
    floorIs: `the real run, with its snapshot; the median of ${rounds} ratios: ${inOrder.map(({ prediction, real }) => (prediction / real).toFixed(2)).join(', ')}`,
  }
}

interface Report {
  stages: { name: string; recipients: number; milliseconds: number }[]
  prediction: { total_seconds: number; basis?: string }
}

async function rehearse({ api }: Bench, recipients: number) {
  const path = `${workspace}/operations/synthetic-rehearsals`
  const request = {
    idempotency_key: randomUUID(),
    confirmation: `RUN ${recipients} SYNTHETIC REHEARSAL`,
    recipient_count: recipients,
  }
  const { run: queued } = await api.ok<{ run: { id: string } }>('POST', path, request)
  for (;;) {
    await sleep(500)
    const { run } = await api.ok<{ run: { state: string; report: Report } }>('GET', `${path}/${queued.id}`)
    if (run.state === 'failed') throw new Error(`the rehearsal failed: ${JSON.stringify(run.report)}`)
    if (run.state !== 'completed') continue
    const stages = run.report.stages.map(({ name, milliseconds }) => `${name} ${Math.round(milliseconds)} ms`)
    return { prediction: run.report.prediction, stages: stages.join(', ') }
  }
}

/** Sends a run and returns the seconds of the request that schedules it, with its snapshot, and of its delivery. */
async function runOf(bench: Bench, audienceId: string): Promise<{ snapshot: number; delivery: number }> {
  const { api } = bench
  const { run, seconds: snapshot } = await schedule(bench, { audienceId, inSeconds: 5 })
  const path = `${workspace}/campaign-runs/${run.id}`
  for (;;) {
    await sleep(500)
    const { report } = await api.ok<{ report: { started_at: string | null; completed_at: string | null } }>(
      'GET',
      `${path}/report`,
    )
    if (report.started_at === null || report.completed_at === null) continue
    return { snapshot, delivery: (Date.parse(report.completed_at) - Date.parse(report.started_at)) / 1_000 }
  }
}
