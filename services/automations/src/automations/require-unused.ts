import { column, columns, sql, statement } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { parseUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { Automation } from './automation.entity.ts'
import { AutomationVersion } from './automation-version.entity.ts'

const userColumns = {
  ...columns(AutomationVersion, 'automation_id'),
  ...columns(Automation, 'name'),
  version: column.integer(),
}
const selectUser = statement('select-version-that-uses', userColumns)

/** What can be deleted only while no automation uses it. */
interface Used {
  readonly kind: 'audience' | 'sender'
  /** in the dependencies that each version stores */
  readonly type: 'audience' | 'sender_identity'
  readonly id: string
}

/**
 * Throws Fault `failed_precondition` with the name of an automation that uses this object: it is not archived, and its current or
 * published version depends on the object, or a version in which contacts are.
 */
export async function requireUnused(ctx: Ctx, { kind, type, id: given }: Used): Promise<void> {
  const id = parseUuid(given)
  if (id === undefined) return
  const user = await ctx.tx((em) =>
    selectUser.row(
      em,
      sql`select v.automation_id, a.name, v.version
            from automations a
            join automation_versions v on v.workspace_id = a.workspace_id and v.automation_id = a.id
           where a.workspace_id = ${ctx.workspaceId} and a.status <> 'archived'
             and v.validation -> 'dependencies' @> ${JSON.stringify([{ type, id }])}::jsonb
             and (v.version = a.current_version or v.id = a.published_version_id
                  or (select sum(c.count) from node_counts c
                       where c.workspace_id = ${ctx.workspaceId} and c.version_id = v.id
                         and c.counted in ('active', 'waiting', 'paused')) > 0)
           order by v.automation_id, v.version limit 1`,
    ),
  )
  if (!user) return
  throw new Fault(
    'failed_precondition',
    `${kind}_in_use`,
    `Version ${user.version} of the automation ${JSON.stringify(user.name)} (${user.automation_id}) uses this ${kind}. Append and publish a version without it when no contact is in that one, or archive the automation.`,
  )
}
