import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, signInAs } from './api.ts'
import { auditedSince } from './audit-log.ts'
import type { Scene } from './scene.ts'
import type { SignedReceiver } from './signed-receiver.ts'
import type { ReportRow } from './table.ts'

interface Alert {
  id: string
  code: string
  severity: string
  runbook: string
  detail: { contact_id?: string; run_id?: string }
  acknowledged_by: string | null
}

const alerts = '/console/api/platform/alerts'

/** An alert as the receiver of the platform gets it. */
export interface AlertNotice {
  type: 'alert.raised' | 'alert.acknowledged'
  data: Alert
}

/** Two alerts are over: a platform suppression was resolved, and the run that paused itself was cancelled. */
const endedCount = 2
const endedBy = 'system:end-alerts'

/** Reads the audit log and the alerts, and acknowledges those that have not ended by themselves. */
export async function readAuditLog(
  scene: Scene,
  {
    since,
    contactIds,
    badRunId,
    receiver,
  }: { since: Date; contactIds: ReadonlySet<string>; badRunId: string; receiver: SignedReceiver<AlertNotice> },
): Promise<ReportRow[]> {
  const { browser, stack, print } = scene
  const isOurs = ({ detail }: Alert) => contactIds.has(detail.contact_id ?? '') || detail.run_id === badRunId
  const isEnded = ({ acknowledged_by }: Alert) => acknowledged_by === endedBy
  const all = await alertsUntil(
    scene,
    isOurs,
    (found) => found.length === 4 && found.filter(isEnded).length === endedCount,
  )
  const open = all.filter((alert) => !isEnded(alert))
  const counted = Object.entries(Object.groupBy(all, ({ code }) => code))
  for (const [code, found = []] of counted)
    print(`${found[0]!.severity.padEnd(8)} ${code} ×${found.length}: ${found[0]!.runbook} says what to do`)
  let acknowledged = 0
  for (const { id } of open) {
    const { alert } = await browser.ok<{ alert: Alert }>('POST', `${alerts}/${id}/acknowledge`)
    if (alert.acknowledged_by === 'owner') acknowledged += 1
  }
  print(`${all.length - open.length} of them ended by themselves, and the owner acknowledged ${acknowledged}`)
  const left = await alertsUntil(
    scene,
    (alert) => isOurs(alert) && alert.acknowledged_by === null,
    (found) => found.length === 0,
  )
  const ids = new Set(all.map(({ id }) => id))
  const posted = await postedTo(receiver, ids, 2 * ids.size)
  print(
    `a receiver outside of the platform got ${posted.raised} signed alerts, and ${posted.acknowledged} acknowledgements`,
  )

  // Entries arrive as events, so entries of one action may arrive before those of another.
  const count = async (action: string, expected: number, actor = 'owner') =>
    (await auditedSince(scene, { since, action, expected })).filter((entry) => entry.actor === actor).length
  const audited = {
    suppressed: await count('contact_suppressed', 33),
    scheduled: await count('campaign_scheduled', 5),
    paused: await count('campaign_run_paused', 2, 'system:run-breaker'),
    acknowledged: await count('alert_acknowledged', open.length),
  }
  const entries = await auditedSince(scene, { since, expected: 0 })
  const actors = [...new Set(entries.map(({ actor }) => actor))].toSorted()
  const kinds = new Set(entries.map(({ action }) => action)).size
  print(
    `the audit log has ${entries.length} entries of the last minutes: ${kinds} kinds of actions, by ${actors.join(', ')}`,
  )

  const outside = openApi(stack.base_url, await signInAs('wsowner', stack.base_url))
  const refused = await outside.call('GET', '/console/api/platform/audit-log')
  await outside.close()
  const raised = (code: string) => all.filter((alert) => alert.code === code).length
  return [
    { name: 'alerts platform_suppression_added', actual: raised('platform_suppression_added'), expected: 3 },
    { name: 'alerts run_breaker_tripped', actual: raised('run_breaker_tripped'), expected: 1 },
    { name: 'ended by themselves', actual: all.length - open.length, expected: endedCount },
    { name: 'acknowledged by the owner', actual: acknowledged, expected: 2 },
    { name: 'alerts left', actual: left.length, expected: 0 },
    { name: 'alerts that the receiver of the platform got', actual: posted.raised, expected: 4 },
    { name: 'acknowledgements that it got', actual: posted.acknowledged, expected: 4 },
    { name: 'with a wrong signature', actual: receiver.refused, expected: 0 },
    { name: 'audited: suppressions by people', actual: audited.suppressed, expected: 33 },
    { name: 'audited: runs scheduled', actual: audited.scheduled, expected: 5 },
    { name: 'audited: paused by the breaker', actual: audited.paused, expected: 1 },
    { name: 'audited: acknowledgements', actual: audited.acknowledged, expected: 2 },
    { name: 'audit log for an owner of the workspace', actual: refused.status, expected: 403 },
  ]
}

/** These alerts of the demo. They arrive and end as events: waits until they are as expected, at most two minutes. */
async function alertsUntil(
  { browser }: Scene,
  isMeant: (alert: Alert) => boolean,
  isExpected: (found: readonly Alert[]) => boolean,
): Promise<Alert[]> {
  for (let tries = 0; ; tries += 1) {
    const all = await browser.ok<{ alerts: Alert[] }>('GET', `${alerts}?limit=200`)
    const found = all.alerts.filter(isMeant)
    if (isExpected(found) || tries === 600) return found
    await sleep(200)
  }
}

/** What the receiver got about these alerts. Waits until there is as much as expected, at most two minutes. */
async function postedTo(receiver: SignedReceiver<AlertNotice>, ids: ReadonlySet<string>, expected: number) {
  for (let tries = 0; ; tries += 1) {
    const found = receiver.accepted.filter(({ data }) => ids.has(data.id))
    const of = (type: AlertNotice['type']) => found.filter((notice) => notice.type === type).length
    if (found.length >= expected || tries === 600)
      return { raised: of('alert.raised'), acknowledged: of('alert.acknowledged') }
    await sleep(200)
  }
}
