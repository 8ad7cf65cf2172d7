import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageCalls } from './message-calls.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

interface SyntheticRehearsal {
  id: string
  state: string
  provider_call_count: number
  elapsed_milliseconds: number | null
  eligible_count: number | null
  excluded_count: number | null
  claimed_count: number | null
  recovered_count: number | null
  duplicate_claim_count: number | null
  cleanup_verified: boolean | null
  report: {
    stages?: { name: string; recipients: number; milliseconds: number; recipients_per_second: number | null }[]
    crashes?: { before_intent: number; after_intent: number }
    prediction?: { snapshot_seconds: number; delivery_seconds: number; total_seconds: number }
    failure?: { message: string }
  }
}

/** Rehearses a run of 1,000 synthetic recipients. The provider is not called, and nothing but the report remains. */
export async function rehearseCapacity(scene: Scene): Promise<ReportRow[]> {
  const { api, browser, workspace, stack, print } = scene
  await browser.ok('PUT', '/console/api/platform/gates/synthetic_rehearsals_enabled', { enabled: true })
  const callsBefore = await messageCalls(stack)
  const path = `${workspace}/operations/synthetic-rehearsals`
  const request = { idempotency_key: randomUUID(), confirmation: 'RUN 1000 SYNTHETIC REHEARSAL' }
  const { run: queued } = await api.ok<{ run: SyntheticRehearsal }>('POST', path, request)
  const again = await api.ok<{ created: boolean; run: SyntheticRehearsal }>('POST', path, request)
  const run = await ended(scene, `${path}/${queued.id}`)
  const { stages = [], crashes, prediction, failure } = run.report
  if (failure) print(`it failed: ${failure.message}`)
  for (const { name, recipients, milliseconds, recipients_per_second: perSecond } of stages)
    print(`${name}: ${recipients} recipients in ${milliseconds} ms, ${perSecond} a second`)
  print(
    `the workers of ${crashes?.before_intent} batches ended before their intent and of ${crashes?.after_intent} after it; ${run.recovered_count} recipients were recovered`,
  )
  print(
    `it took ${run.elapsed_milliseconds} ms; a real run would take ${prediction?.total_seconds} s, ${prediction?.delivery_seconds} s of it for the delivery`,
  )
  return [
    { name: 'rehearsal', actual: run.state, expected: 'completed' },
    { name: 'retry with the same key creates one', actual: String(again.created), expected: 'false' },
    { name: 'eligible', actual: run.eligible_count, expected: 900 },
    { name: 'excluded', actual: run.excluded_count, expected: 100 },
    { name: 'claimed', actual: run.claimed_count, expected: 900 },
    { name: 'claimed twice', actual: run.duplicate_claim_count, expected: 0 },
    {
      name: 'messages handed to the provider',
      actual: (await messageCalls(stack)) - callsBefore,
      expected: 0,
    },
    { name: 'nothing remains', actual: String(run.cleanup_verified), expected: 'true' },
  ]
}

async function ended({ api }: Scene, path: string): Promise<SyntheticRehearsal> {
  const end = Date.now() + 120_000
  for (;;) {
    const { run } = await api.ok<{ run: SyntheticRehearsal }>('GET', path)
    if (!['queued', 'running'].includes(run.state) || Date.now() > end) return run
    await sleep(250)
  }
}
