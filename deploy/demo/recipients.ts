import { eachOf } from './api.ts'
import { auditedSince } from './audit-log.ts'
import type { Report } from './run-campaign.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

interface Recipient {
  email: string
  state: string
  reasons: string[]
}

const replays = 40

/** Reads the timeline and the recipients of the run, also as a CSV file, and replays provider events, which must not change the report. */
export async function readRecipients(
  scene: Scene,
  { runId, invitationId, since }: { runId: string; invitationId: string; since: Date },
): Promise<ReportRow[]> {
  const { api, browser, workspace, atConsole, print } = scene
  const run = `${atConsole}/campaign-runs/${runId}`
  const report = async () =>
    (await api.ok<{ report: Report }>('GET', `${workspace}/campaign-runs/${runId}/report`)).report
  const before = await report()

  const { timeline } = await browser.ok<{ timeline: Record<'handed_off' | 'delivered', number>[] }>(
    'GET',
    `${run}/timeline`,
  )
  const inTime = (name: 'handed_off' | 'delivered') => timeline.reduce((sum, moment) => sum + moment[name], 0)
  const peopleOf = async (path: string) =>
    (await browser.ok<{ recipients: Recipient[] }>('GET', `${path}&limit=200`)).recipients
  const bounced = await peopleOf(`${run}/recipients?outcome=hard_bounced`)
  const [skipped] = await peopleOf(`${atConsole}/campaign-runs/${invitationId}/recipients?state=skipped`)
  print(
    `${bounced[0]?.email} bounced; ${skipped?.email} was skipped at the last moment: ${skipped?.reasons.join(', ')}`,
  )

  const file = await browser.call('GET', `${run}/recipients.csv`)
  const small = await browser.call('GET', `${atConsole}/campaign-runs/${invitationId}/recipients.csv`)
  const formula = /^"?'=[^,]*/m.exec(small.text)?.[0]
  print(`in the CSV file, an address that begins like a formula is a text: ${formula}`)

  const { provider_events: events } = await browser.ok<{ provider_events: { id: string }[] }>(
    'GET',
    `${atConsole}/provider-events?event=failed&limit=${replays}`,
  )
  await eachOf(events, 8, async ({ id }) => void (await api.ok('POST', `${workspace}/provider-events/${id}/replay`)))
  const replayed = await auditedSince(scene, { since, action: 'provider_event_replayed', expected: replays })
  const isSame = JSON.stringify(await report()) === JSON.stringify(before)
  print(`${replayed.length} bounces and soft failures were replayed: the report did not change`)
  return [
    { name: 'handed off, by the minute', actual: inTime('handed_off'), expected: before['sent'] },
    { name: 'delivered, by the minute', actual: inTime('delivered'), expected: before['delivered'] },
    { name: 'people who bounced', actual: bounced.length, expected: before['hard_bounced'] },
    { name: 'reason of the skipped recipient', actual: skipped?.reasons.join(), expected: 'suppressed_workspace' },
    {
      name: 'lines of the CSV without its header',
      actual: file.text.trimEnd().split('\n').length - 1,
      expected: before['sent'],
    },
    { name: 'formulas escaped', actual: formula !== undefined, expected: true },
    { name: 'events replayed', actual: replayed.length, expected: replays },
    { name: 'and the report is the same', actual: isSame, expected: true },
  ]
}
