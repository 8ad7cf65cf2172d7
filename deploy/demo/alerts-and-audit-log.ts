import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, signInAs } from './api.ts'
import { auditedSince } from './audit-log.ts'
import type { Scene } from './scene.ts'
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

/** Reads the audit log and the alerts, and acknowledges the alerts. */
export async function readAuditLog(
  scene: Scene,
  { since, contactIds, badRunId }: { since: Date; contactIds: ReadonlySet<string>; badRunId: string },
): Promise<ReportRow[]> {
  const { browser, stack, print } = scene
  const isOurs = ({ detail }: Alert) => contactIds.has(detail.contact_id ?? '') || detail.run_id === badRunId
  const open = await openAlerts(scene, isOurs, 4)
  const counted = Object.entries(Object.groupBy(open, ({ code }) => code))
  for (const [code, found = []] of counted)
    print(`${found[0]!.severity.padEnd(8)} ${code} ×${found.length}: ${found[0]!.runbook} says what to do`)
  let acknowledged = 0
  for (const { id } of open) {
    const { alert } = await browser.ok<{ alert: Alert }>('POST', `${alerts}/${id}/acknowledge`)
    if (alert.acknowledged_by === 'owner') acknowledged += 1
  }
  const left = await openAlerts(scene, isOurs, 0)

  // Entries arrive as events, so entries of one action may arrive before those of another.
  const count = async (action: string, expected: number, actor = 'owner') =>
    (await auditedSince(scene, { since, action, expected })).filter((entry) => entry.actor === actor).length
  const audited = {
    suppressed: await count('contact_suppressed', 33),
    scheduled: await count('campaign_scheduled', 5),
    paused: await count('campaign_run_paused', 2, 'system:run-breaker'),
    acknowledged: await count('alert_acknowledged', 4),
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
  const raised = (code: string) => open.filter((alert) => alert.code === code).length
  return [
    { name: 'alerts platform_suppression_added', actual: raised('platform_suppression_added'), expected: 3 },
    { name: 'alerts run_breaker_tripped', actual: raised('run_breaker_tripped'), expected: 1 },
    { name: 'acknowledged by the owner', actual: acknowledged, expected: 4 },
    { name: 'alerts left', actual: left.length, expected: 0 },
    { name: 'audited: suppressions by people', actual: audited.suppressed, expected: 33 },
    { name: 'audited: runs scheduled', actual: audited.scheduled, expected: 5 },
    { name: 'audited: paused by the breaker', actual: audited.paused, expected: 1 },
    { name: 'audited: acknowledgements', actual: audited.acknowledged, expected: 4 },
    { name: 'audit log for an owner of the workspace', actual: refused.status, expected: 403 },
  ]
}

/** The unacknowledged alerts of this demo. They arrive as events: waits until there are as many as expected, at most two minutes. */
async function openAlerts({ browser }: Scene, isOurs: (alert: Alert) => boolean, expected: number): Promise<Alert[]> {
  for (let tries = 0; ; tries += 1) {
    const all = await browser.ok<{ alerts: Alert[] }>('GET', `${alerts}?acknowledged=false&limit=200`)
    const found = all.alerts.filter(isOurs)
    if (found.length === expected || tries === 600) return found
    await sleep(200)
  }
}
