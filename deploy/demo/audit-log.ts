import { setTimeout as sleep } from 'node:timers/promises'
import type { Scene } from './scene.ts'

export interface AuditEntry {
  action: string
  actor: string
  subject_type: string
  subject_id: string
}

/** The entries of the audit log since then. Waits until there are as many as expected, at most two minutes. */
export async function auditedSince(
  { browser }: Scene,
  { since, action, expected }: { since: Date; action?: string; expected: number },
): Promise<AuditEntry[]> {
  for (let tries = 0; ; tries += 1) {
    const found: AuditEntry[] = []
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: '200', since: since.toISOString() })
      if (action !== undefined) query.set('action', action)
      if (cursor !== null) query.set('cursor', cursor)
      const page: { entries: AuditEntry[]; next_cursor: string | null } = await browser.ok(
        'GET',
        `/console/api/platform/audit-log?${query.toString()}`,
      )
      found.push(...page.entries)
      cursor = page.next_cursor
    } while (cursor !== null)
    if (found.length >= expected || tries === 600) return found
    await sleep(200)
  }
}
