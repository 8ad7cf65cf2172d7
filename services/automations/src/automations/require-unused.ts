import { column, columns, sql, statement } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { referencesOf, type References } from '../definition/references.ts'
import { Automation } from './automation.entity.ts'
import { AutomationVersion } from './automation-version.entity.ts'

const namingColumns = {
  ...columns(AutomationVersion, 'automation_id', 'definition'),
  ...columns(Automation, 'name'),
  version: column.integer(),
}
const selectNaming = statement('select-versions-naming', namingColumns)

/** What can be deleted only while no automation uses it. */
interface Used {
  readonly kind: 'audience' | 'sender'
  readonly list: keyof Pick<References, 'audienceIds' | 'senderIdentityIds'>
  readonly id: string
}

/**
 * Throws Fault `failed_precondition` with the name of an automation that uses this object: it is not archived, and its current or
 * published version names the object, or a version in which contacts are.
 */
export async function requireUnused(ctx: Ctx, { kind, list, id }: Used): Promise<void> {
  if (!isUuid(id)) return
  const wanted = id.toLowerCase()
  // The text of a definition can have the id elsewhere, so the found ones are read.
  const found = await ctx.tx((em) =>
    selectNaming.rows(
      em,
      sql`select v.automation_id, v.definition, a.name, v.version
            from automations a
            join automation_versions v on v.workspace_id = a.workspace_id and v.automation_id = a.id
           where a.workspace_id = ${ctx.workspaceId} and a.status <> 'archived'
             and position(${wanted} in lower(v.definition::text)) > 0
             and (v.version = a.current_version or v.id = a.published_version_id
                  or (select sum(c.count) from node_counts c
                       where c.workspace_id = ${ctx.workspaceId} and c.version_id = v.id
                         and c.counted in ('active', 'waiting', 'paused')) > 0)
           order by v.automation_id, v.version`,
    ),
  )
  const user = found.find(({ definition }) => {
    const read = readDefinition(definition).definition
    return read && referencesOf(read)[list].some((one) => one.toLowerCase() === wanted)
  })
  if (!user) return
  throw new Fault(
    'failed_precondition',
    `${kind}_in_use`,
    `Version ${user.version} of the automation ${JSON.stringify(user.name)} (${user.automation_id}) uses this ${kind}. Append and publish a version without it when no contact is in that one, or archive the automation.`,
  )
}
