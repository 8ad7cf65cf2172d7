import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, signInAs } from '@lettergate/demo/api'
import { audienceOf } from '../audience.ts'
import { workspace, type Bench } from '../bench.ts'
import { schedule } from '../campaigns.ts'
import type { Result } from '../result.ts'

/** Settings with which rehearsals may run. */
export const rehearsalsAllowed = { SYNTHETIC_REHEARSALS_ENABLED: 'true' }

/** Synthetic recipients. A tenth of them is not eligible, so that runs of about 2,000 and of 9,000 are predicted. */
const sizes = [2_223, 10_000]
/** After the first one, in which the code of the workers and their connections are new. */
const rounds = 5

/**
 * Compares the prediction of a synthetic rehearsal with a real run of as many eligible recipients, several times for each size,
 * with the events of the provider. The first round is printed and does not count. The goal is a median ratio from 0.8 to 1.25.
 */
export async function rehearsalPrediction(bench: Bench): Promise<Result[]> {
  const browser = openApi(bench.stack.base_url, await signInAs('owner', bench.stack.base_url))
  await browser.ok('PUT', '/console/api/platform/gates/synthetic_rehearsals_enabled', { enabled: true })
  await browser.close()
  const results: Result[] = []
  for (const recipients of sizes) {
    const members = recipients - Math.floor(recipients / 10)
    const audienceId = await audienceOf(bench, members)
    const compared: { predicted: number; real: number }[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const { prediction, stages } = await rehearse(bench, recipients)
      const { snapshot, delivery } = await runOf(bench, audienceId)
      const real = snapshot + delivery
      const predicted = prediction.total_seconds
      bench.print(
        `run ${round} of ${members}: ${snapshot.toFixed(2)} + ${delivery.toFixed(2)} s, ratio ${(predicted / real).toFixed(2)}; predicted ${JSON.stringify(prediction)}; ${stages}`,
      )
      if (round > 0) compared.push({ predicted, real })
    }
    const inOrder = compared.toSorted((one, other) => one.predicted / one.real - other.predicted / other.real)
    const middle = inOrder[Math.floor(inOrder.length / 2)]!
    results.push({
      name: `prediction of a run of ${members}`,
      unit: 'ms',
      ours: middle.predicted * 1_000,
      floor: middle.real * 1_000,
      floorIs: `the real run, with its snapshot; the median of ${rounds} ratios: ${inOrder.map(({ predicted, real }) => (predicted / real).toFixed(2)).join(', ')}`,
    })
  }
  return results
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
