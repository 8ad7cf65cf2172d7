import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scene } from './scene.ts'
import { openReceiver } from './signed-receiver.ts'

/** An event of a run as the webhook receiver gets it. */
export interface RunEvent {
  type: string
  timestamp: string
  data: { id: string; state: string; report?: Record<string, number> }
}

export interface RunEvents {
  /** events with a valid signature, without duplicates, in the order of their arrival */
  readonly accepted: readonly RunEvent[]
  /** number of events with an invalid signature */
  readonly refused: number
  /** The event types of a run in the order of their timestamps. Waits until as many arrived as expected, at most two minutes. */
  ofRun(runId: string, expected: readonly string[]): Promise<string[]>
  close(): Promise<void>
}

/** A webhook receiver outside the service: it verifies each signature by Standard Webhooks and drops duplicates. */
export async function receiveRunEvents({ api, browser, workspace, atConsole, print }: Scene): Promise<RunEvents> {
  const receiver = await openReceiver<RunEvent>('/lettergate')
  const { url, secret } = receiver
  const set = (to: string | null, key: string | null) =>
    api.ok('PUT', `${workspace}/campaign-webhook`, { campaign_webhook_url: to, campaign_webhook_secret: key })

  await set(url, `whsec_${randomBytes(32).toString('base64')}`)
  await browser.ok('POST', `${atConsole}/campaign-webhook/test`)
  await set(url, secret)
  await browser.ok('POST', `${atConsole}/campaign-webhook/test`)
  print(
    `a receiver at ${url} accepts events that are signed with its secret; it refused the first test, which was signed with another one`,
  )
  return {
    get accepted() {
      return receiver.accepted.filter(({ type }) => type !== 'campaign_webhook.test')
    },
    get refused() {
      return receiver.refused
    },
    async ofRun(runId, expected) {
      for (let tries = 0; ; tries += 1) {
        const found = receiver.accepted
          .filter(({ data }) => data.id === runId)
          .map(({ type, timestamp }) => ({ type: type.replace('campaign_run.', ''), at: Date.parse(timestamp) }))
          .sort((a, b) => a.at - b.at || expected.indexOf(a.type) - expected.indexOf(b.type))
        if (found.length >= expected.length || tries === 600) return found.map(({ type }) => type)
        await sleep(200)
      }
    },
    async close() {
      await set(null, null)
      receiver.close()
    },
  }
}
