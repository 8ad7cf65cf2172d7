import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './api.ts'
import { newsletter } from './newsletter.ts'
import { requestRun, scheduleRun, type Run } from './runs.ts'
import type { Scene } from './scene.ts'

/** The parts of the scene that a campaign needs. */
export type CampaignScene = Pick<Scene, 'api' | 'workspace' | 'round' | 'print'>

export type Report = Record<string, number | null> & { events: Record<string, number> }

/** Stores the content, drafts the campaign, schedules it, and waits until every message is handed off. */
export async function runCampaign(scene: CampaignScene, parts: { audienceId: string; senderId: string }): Promise<Run> {
  const { api, workspace, round, print } = scene
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: `Monthly newsletter ${round}`, slug: `monthly-newsletter-${round}` },
  )
  const { content_version: content } = await api.ok<{
    content_version: {
      id: string
      validation: { stripped: { tags: string[] }; unsubscribe_present: boolean; tokens: string[] }
    }
  }>('POST', `${workspace}/email-templates/${template.id}/versions`, newsletter)
  print(
    `content stored; removed from it: <${content.validation.stripped.tags.join('>, <')}>; tokens: ${content.validation.tokens.join(', ')}`,
  )

  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: `Newsletter ${round}`,
    audience_id: parts.audienceId,
    sender_identity_id: parts.senderId,
    content_version_id: content.id,
  })
  const key = randomUUID()
  const run = await scheduleRun(scene, campaign.id, 3_000, key)
  const retry = await requestRun(scene, campaign.id, new Date(run.scheduled_for), key)
  if ((retry.json['campaign_run'] as Run | undefined)?.id !== run.id)
    throw new Error(`the repeated schedule did not answer the same run, but ${retry.status}: ${retry.text}`)
  print(
    `scheduled: ${run.included_count} recipients in the snapshot, ${run.excluded_count} excluded; a retry answered the same run`,
  )

  const end = Date.now() + 600_000
  for (let shown = -1; ; await sleep(500)) {
    const { campaign_run: now } = await api.ok<{ campaign_run: Run }>('GET', `${workspace}/campaign-runs/${run.id}`)
    const quarters = Math.floor((4 * now.sent_count) / now.included_count)
    if (quarters !== shown || now.state === 'completed')
      print(`${now.state}: ${now.sent_count} of ${now.included_count} handed off to the provider`)
    shown = quarters
    if (now.state === 'completed') return now
    if (now.state !== 'scheduled' && now.state !== 'sending') throw new Error(`the run became ${now.state}`)
    if (Date.now() > end) throw new Error(`after ten minutes the run is ${now.state} with ${now.sent_count} sent`)
  }
}

/** The report. Waits until it has the expected numbers, at most three minutes, because provider events arrive later. */
export async function settledReport(
  api: Api,
  workspace: string,
  runId: string,
  expected: Record<string, number>,
  print: (line: string) => void,
): Promise<Report> {
  const end = Date.now() + 180_000
  for (let lastShown = 0; ; await sleep(1_000)) {
    const { report } = await api.ok<{ report: Report }>('GET', `${workspace}/campaign-runs/${runId}/report`)
    const waiting = Object.entries(expected).filter(([name, value]) => report[name] !== value)
    if (waiting.length === 0 || Date.now() > end) return report
    if (Date.now() < lastShown + 4_000) continue
    lastShown = Date.now()
    print(
      `waiting for signed events: ${waiting
        .slice(0, 3)
        .map(([name, value]) => `${name} ${report[name]} of ${value}`)
        .join(', ')}`,
    )
  }
}
