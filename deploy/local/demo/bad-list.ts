import { setTimeout as sleep } from 'node:timers/promises'
import { eachOf } from './api.ts'
import type { Report, Run } from './run-campaign.ts'
import { scheduleRun } from './runs.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

/**
 * What the demo sets for its stack: by the usual limits its own letter, with three complaints in a thousand, would stop; and
 * of a short list the second half must still be there when the first has bounced.
 */
export const breakerSettings = {
  RUN_BREAKER_SETTLED_MIN: '50',
  RUN_BREAKER_COMPLAINT_RATE: '20',
  RUN_BREAKER_HARD_BOUNCE_RATE: '60',
  DELIVERY_BATCH_SIZE: '50',
  CONNECTION_HAND_OFFS_AT_ONCE: '2',
  DELIVERY_HAND_OFF_TIMEOUT_MS: '30000',
}
/** Two batches are under way at once. */
const underWay = 100
const listed = 120

interface PausedBy {
  rule: string
  settled: number
  count: number
  rate: number
  limit: number
}

/** A list that somebody bought: every address bounces, and the run pauses itself with the rest of the list unsent. */
export async function sendToBadList(
  scene: Scene,
  { senderId, contentId }: { senderId: string; contentId: string },
): Promise<{ rows: Row[]; runId: string }> {
  const { api, workspace, stack, tell, round } = scene
  const audienceId = await buyList(scene)
  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: `To a bought list ${round}`,
    audience_id: audienceId,
    sender_identity_id: senderId,
    content_version_id: contentId,
  })
  const faults = (mode: string) =>
    fetch(`${stack.provider_url}/sim/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mode }),
    })
  // a provider that takes messages and is slow to say so: most of the list is still to go when the first ones bounce
  await faults('accept_then_timeout')
  try {
    const run = await scheduleRun(scene, campaign.id, 1_000)
    const path = `${workspace}/campaign-runs/${run.id}`
    const reportWhen = async (isReady: (report: Report & { paused_by: PausedBy | null }) => boolean) => {
      for (const end = Date.now() + 30_000; ; await sleep(200)) {
        const { report } = await api.ok<{ report: Report & { paused_by: PausedBy | null } }>('GET', `${path}/report`)
        if (isReady(report) || Date.now() > end) return report
      }
    }
    const { paused_by: why } = await reportWhen((report) => report.paused_by !== null)
    const report = await reportWhen(({ hard_bounced: bounced }) => bounced === underWay)
    const { campaign_run: cancelled } = await api.ok<{ campaign_run: Run }>('POST', `${path}/cancel`)
    tell(
      `paused by itself: ${why?.count} of ${why?.settled} settled bounced, ${why?.rate} %; here it may be ${why?.limit} %, usually 5 % of 200`,
    )
    return {
      runId: run.id,
      rows: [
        { name: 'people on the list', actual: run.included_count, expected: listed },
        { name: 'what stopped it', actual: why?.rule, expected: 'hard_bounce_rate' },
        { name: 'its share, of at least 50 settled', actual: (why?.settled ?? 0) >= 50 && why?.rate, expected: 100 },
        { name: 'handed over and bounced', actual: report.hard_bounced, expected: underWay },
        {
          name: 'never sent, once a person cancelled',
          actual: cancelled.included_count - cancelled.sent_count,
          expected: listed - underWay,
        },
        { name: 'the run then', actual: cancelled.state, expected: 'cancelled' },
      ],
    }
  } finally {
    await faults('none')
  }
}

async function buyList({ api, workspace, round }: Scene): Promise<string> {
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: `Bought list ${round}`,
    slug: `bought-list-${round}`,
    purpose: 'What one should not do',
  })
  const people = Array.from({ length: listed }, (_, index) => `nobody.${index}.r${round}+hardbounce@example.com`)
  await eachOf(people, 32, async (email) => {
    const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
      email,
      source: 'a seller',
    })
    await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, {
      contact_id: contact.id,
      source: 'a seller',
      wording_version: 'unknown',
    })
  })
  return audience.id
}
