import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@lettergate/local/launcher/state'
import { fillAudience, workspace, type Bench } from '../bench.ts'
import { deliveryFloor, snapshotFloor } from '../floors.ts'
import type { Result } from '../result.ts'

const recipients = 100_000

/** One campaign: its snapshot through the API, then its messages through one worker. */
export async function campaign(bench: Bench): Promise<Result[]> {
  const { stack, api, floor, senderId, tell } = bench
  const results: Result[] = []
  const audience = await fillAudience(bench, 'bench-campaign', recipients)

  const html = `<html><body><p>Hello {{ first_name }}</p>${'<p style="color:#1f2937">A paragraph about things that got better this month.</p>'.repeat(640)}<a href="{{ unsubscribe_url }}">Unsubscribe</a></body></html>`
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: 'Bench', slug: 'bench' },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    { subject: 'Hello {{ first_name }}', html, personalization_defaults: { first_name: 'friend' } },
  )
  const { campaign: draft } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: 'Bench',
    audience_id: audience,
    sender_identity_id: senderId,
    content_version_id: content.id,
  })

  tell(`snapshot of ${recipients}`)
  const snapshotFloorRate = await snapshotFloor(floor.pool, recipients)
  const began = performance.now()
  const { campaign_run: run } = await api.ok<{ campaign_run: { id: string; included_count: number } }>(
    'POST',
    `${workspace}/campaign-drafts/${draft.id}/schedule`,
    { scheduled_for: new Date(Date.now() + 45_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  const snapshotSeconds = (performance.now() - began) / 1_000
  if (run.included_count !== recipients) throw new Error(`the snapshot has ${run.included_count} recipients`)
  results.push({
    name: 'snapshot through the API',
    unit: 'rows/s',
    ours: recipients / snapshotSeconds,
    floor: snapshotFloorRate,
    floorIs: 'cursor to unnest insert in one database',
    note: ['campaigns-delivery', 'contacts-consent']
      .map((name) => `${name} at most ${peakMemoryMb(stack, name)} MB`)
      .join(', '),
  })

  tell(`delivery of ${recipients}, ${Math.round(html.length / 1024)} kB each`)
  const deliveryFloorRate = await deliveryFloor(floor.pool, stack.provider_url, { subject: 'Hello', html })
  for (let told = ''; ; await sleep(1_000)) {
    const { campaign_run: now } = await api.ok<{ campaign_run: { state: string; sent_count: number } }>(
      'GET',
      `${workspace}/campaign-runs/${run.id}`,
    )
    if (now.state === 'completed') break
    const line = `${now.state}: ${now.sent_count}`
    if (line !== told) tell(`  ${line}`)
    told = line
  }
  const { report } = await api.ok<{ report: { started_at: string; completed_at: string; sent: number } }>(
    'GET',
    `${workspace}/campaign-runs/${run.id}/report`,
  )
  const deliverySeconds = (Date.parse(report.completed_at) - Date.parse(report.started_at)) / 1_000
  results.push({
    name: 'messages handed off',
    unit: '/s',
    ours: report.sent / deliverySeconds,
    floor: deliveryFloorRate,
    floorIs: 'claim, call, settle in hundreds',
    note: 'with eligibility, outbox and one worker',
  })

  return results
}

/** The most that a process has ever held, where the system tells (Linux). */
function peakMemoryMb(stack: Stack, name: string): string {
  const { pid } = stack.processes.find((running) => running.name === name && running.role !== 'worker')!
  const path = `/proc/${pid}/status`
  const peak = existsSync(path) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  return peak === undefined ? 'unknown' : String(Math.round(Number(peak) / 1024))
}
