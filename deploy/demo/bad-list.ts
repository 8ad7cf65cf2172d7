import { setTimeout as sleep } from 'node:timers/promises'
import { eachOf } from './api.ts'
import { setFaults } from './faults.ts'
import type { Report } from './run-campaign.ts'
import { scheduleRun, type Run } from './runs.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

const batchSize = 50
/** The provider accepts this many batches, and answers 429 to every further call for messages. */
const batchesTaken = 2
const taken = batchSize * batchesTaken
const listed = batchSize * 3

/**
 * The settings of the run breaker for the demo. With the usual limits its own campaign, with three complaints in a thousand,
 * would pause too. And a list of three batches must be long enough for the run breaker.
 */
export const breakerSettings = {
  RUN_BREAKER_SETTLED_MIN: '50',
  RUN_BREAKER_COMPLAINT_RATE: '20',
  RUN_BREAKER_HARD_BOUNCE_RATE: '60',
  DELIVERY_BATCH_SIZE: String(batchSize),
}

interface PausedBy {
  rule: string
  settled: number
  count: number
  rate: number
  limit: number
}

/**
 * Sends to a bought list. Every address bounces, and the run breaker pauses the run before the rest of the list is sent. The
 * provider refuses the last batch until then, so that the numbers do not depend on the speed of this machine.
 */
export async function sendToBadList(
  scene: Scene,
  { senderId, contentId }: { senderId: string; contentId: string },
): Promise<{ rows: ReportRow[]; runId: string }> {
  const { api, workspace, print, round } = scene
  const audienceId = await buyList(scene)
  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: `To a bought list ${round}`,
    audience_id: audienceId,
    sender_identity_id: senderId,
    content_version_id: contentId,
  })
  await setFaults(scene, { mode: 'rate_limit', after_calls: batchesTaken })
  try {
    const run = await scheduleRun(scene, campaign.id, 1_000)
    const path = `${workspace}/campaign-runs/${run.id}`
    const reportWhen = async (isReady: (report: Report & { paused_by: PausedBy | null }) => boolean) => {
      for (const end = Date.now() + 120_000; ; await sleep(200)) {
        const { report } = await api.ok<{ report: Report & { paused_by: PausedBy | null } }>('GET', `${path}/report`)
        if (isReady(report) || Date.now() > end) return report
      }
    }
    const { paused_by: pause } = await reportWhen((report) => report.paused_by !== null)
    const report = await reportWhen(({ hard_bounced: bounced }) => bounced === taken)
    const { campaign_run: cancelled } = await api.ok<{ campaign_run: Run }>('POST', `${path}/cancel`)
    print(
      `paused by the run breaker: ${pause?.count} of ${pause?.settled} settled bounced, ${pause?.rate} %; the limit here is ${pause?.limit} %, usually 5 % of 200`,
    )
    return {
      runId: run.id,
      rows: [
        { name: 'people on the list', actual: run.included_count, expected: listed },
        { name: 'rule that paused the run', actual: pause?.rule, expected: 'hard_bounce_rate' },
        {
          name: 'bounce rate, of at least 50 settled',
          actual: (pause?.settled ?? 0) >= 50 && pause?.rate,
          expected: 100,
        },
        { name: 'handed off and bounced', actual: report.hard_bounced, expected: taken },
        {
          name: 'never sent, after the cancellation',
          actual: cancelled.included_count - cancelled.sent_count,
          expected: listed - taken,
        },
        { name: 'state of the run', actual: cancelled.state, expected: 'cancelled' },
      ],
    }
  } finally {
    await setFaults(scene, { mode: 'none' })
  }
}

async function buyList({ api, workspace, round }: Scene): Promise<string> {
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: `Bought list ${round}`,
    slug: `bought-list-${round}`,
    purpose: 'An example of a bad list',
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
