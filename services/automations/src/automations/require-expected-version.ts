import type { Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { findVersion } from './automation-version.entity.ts'
import type { AutomationRow } from './automation.entity.ts'

/**
 * Throws Fault `conflict`, which says who saved the current version, if another version was expected. `notDone` and `next` are for
 * the caller.
 */
export async function requireExpectedVersion(
  em: Em,
  automation: AutomationRow,
  { expected, notDone, next }: { expected: number | undefined; notDone: string; next: (version: number) => string },
): Promise<void> {
  const { workspace_id: workspaceId, id: automationId, current_version: version } = automation
  if (expected === undefined || expected === version) return
  const current = await findVersion(em, { workspaceId, automationId }, { version })
  if (!current) throw new Error('an automation has no row for its current version')
  throw new Fault(
    'conflict',
    'automation_changed',
    `Version ${version} of this automation was saved by ${current.created_by_wallet_id} at ${new Date(current.created_at).toISOString()}, and you began with version ${expected}. ${notDone} Read the automation again, ${next(version)}.`,
  )
}
