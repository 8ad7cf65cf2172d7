import { randomUUID } from 'node:crypto'
import type { Answer } from './api.ts'
import type { Scene } from './scene.ts'

export interface Run {
  id: string
  state: string
  scheduled_for: string
  included_count: number
  excluded_count: number
  sent_count: number
  exclusion_counts: Record<string, number>
}

/** Requests a run at that time. */
export const requestRun = (
  { api, workspace }: Pick<Scene, 'api' | 'workspace'>,
  campaignId: string,
  at: Date,
  key: string = randomUUID(),
): Promise<Answer> =>
  api.call(
    'POST',
    `${workspace}/campaign-drafts/${campaignId}/schedule`,
    { scheduled_for: at.toISOString() },
    { 'idempotency-key': key },
  )

const attempts = 5

/**
 * Schedules a run; a refusal ends the demo. A busy machine may need longer than `inMs` to read the request, and a time in the
 * past is refused: then it retries with a later time.
 */
export async function scheduleRun(
  scene: Pick<Scene, 'api' | 'workspace'>,
  campaignId: string,
  inMs: number,
  key?: string,
): Promise<Run> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await requestRun(scene, campaignId, new Date(Date.now() + inMs * attempt ** 2), key)
    if (answer.status === 200) return answer.json['campaign_run'] as Run
    const isPast = answer.status === 422 && answer.text.includes('must lie in the future')
    if (!isPast || attempt === attempts) throw new Error(`scheduling answered ${answer.status}: ${answer.text}`)
  }
}

export const controlRun = ({ api, workspace }: Scene, { id }: Run, action: string): Promise<Answer> =>
  api.call('POST', `${workspace}/campaign-runs/${id}/${action}`)

export const readRun = async ({ api, workspace }: Scene, { id }: Run): Promise<Run> =>
  (await api.ok<{ campaign_run: Run }>('GET', `${workspace}/campaign-runs/${id}`)).campaign_run
