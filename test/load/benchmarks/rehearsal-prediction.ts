import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, signInAs } from '@lettergate/demo/api'
import { audienceOf } from '../audience.ts'
import { workspace, type Bench } from '../bench.ts'
import { schedule } from '../campaigns.ts'
import type { Result } from '../result.ts'

/** Settings with which rehearsals may run. */
export const rehearsalsAllowed = { SYNTHETIC_REHEARSALS_ENABLED: 'true' }

const sizes = [10_000, 1_000]

/**
 * Compares the prediction of a synthetic rehearsal with a real run of as many eligible recipients: before the workspace has
 * sent anything, and after it has. The events of the provider are sent during the runs. The goal is a ratio from 0.8 to 1.2.
 */
export async function rehearsalPrediction(bench: Bench): Promise<Result[]> {
  const browser = openApi(bench.stack.base_url, await signInAs('owner', bench.stack.base_url))
  await browser.ok('PUT', '/console/api/platform/gates/synthetic_rehearsals_enabled', { enabled: true })
  await browser.close()
  const results: Result[] = []
  for (const recipients of sizes) {
    // A tenth of the synthetic recipients is not eligible.
    const audienceId = await audienceOf(bench, recipients * 0.9)
    for (const after of ['first', 'second', 'third']) {
      const { prediction, stages } = await rehearse(bench, recipients)
      const real = await runOf(bench, audienceId)
      bench.print(
        `${after} run of ${recipients * 0.9}: ${real.toFixed(1)} s; predicted ${JSON.stringify(prediction)}; ${stages}`,
      )
      results.push({
        name: `prediction of a ${after} run of ${recipients * 0.9}`,
        unit: 'ms',
        ours: prediction.total_seconds * 1_000,
        floor: real * 1_000,
        floorIs: `the real run, with its snapshot`,
      })
    }
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

/** Sends a run and returns the seconds of its snapshot and of its delivery. */
async function runOf(bench: Bench, audienceId: string): Promise<number> {
  const { api } = bench
  const { run, seconds } = await schedule(bench, { audienceId, inSeconds: 5 })
  const path = `${workspace}/campaign-runs/${run.id}`
  for (;;) {
    await sleep(500)
    const { report } = await api.ok<{ report: { started_at: string | null; completed_at: string | null } }>(
      'GET',
      `${path}/report`,
    )
    if (report.started_at === null || report.completed_at === null) continue
    return seconds + (Date.parse(report.completed_at) - Date.parse(report.started_at)) / 1_000
  }
}
