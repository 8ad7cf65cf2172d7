import { randomUUID } from 'node:crypto'
import type { Answer } from './api.ts'
import type { Run } from './run-campaign.ts'
import type { Scene } from './scene.ts'

/** Asks for a run so many milliseconds from now. */
export const askForRun = ({ api, workspace }: Scene, campaignId: string, inMs: number): Promise<Answer> =>
  api.call(
    'POST',
    `${workspace}/campaign-drafts/${campaignId}/schedule`,
    { scheduled_for: new Date(Date.now() + inMs).toISOString() },
    { 'idempotency-key': randomUUID() },
  )

/** The run that was asked for; whatever stands against it ends the demo. */
export async function scheduleRun(scene: Scene, campaignId: string, inMs: number): Promise<Run> {
  const answer = await askForRun(scene, campaignId, inMs)
  if (answer.status !== 200) throw new Error(`scheduling answered ${answer.status}: ${answer.text}`)
  return answer.json['campaign_run'] as Run
}

export const controlRun = ({ api, workspace }: Scene, { id }: Run, action: string): Promise<Answer> =>
  api.call('POST', `${workspace}/campaign-runs/${id}/${action}`)

export const readRun = async ({ api, workspace }: Scene, { id }: Run): Promise<Run> =>
  (await api.ok<{ campaign_run: Run }>('GET', `${workspace}/campaign-runs/${id}`)).campaign_run
