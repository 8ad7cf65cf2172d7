import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, newId, sql, type Em, type Row } from '@lettergate/database'
import type { JsonObject } from '../definition/definition.ts'
import type { CheckedDefinition } from './checked-definition.ts'

/** One immutable definition of an automation, with what was found when it was checked. */
export const AutomationVersion = defineEntity({
  name: 'AutomationVersion',
  tableName: 'automation_versions',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    automationId: p.uuid(),
    version: p.integer(),
    triggerType: p.text(),
    definition: p.json<JsonObject>(),
    definitionChecksum: p.text(),
    validation: p.json<JsonObject>(),
    preview: p.json<JsonObject>(),
    changeNotes: p.text().nullable(),
    createdByWalletId: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

export type AutomationVersionRow = Row<typeof AutomationVersion>

const summaryColumns = [
  'id',
  'version',
  'trigger_type',
  'definition_checksum',
  'change_notes',
  'created_by_wallet_id',
  'created_at',
] as const

export type VersionSummaryRow = Pick<AutomationVersionRow, (typeof summaryColumns)[number]>

const versionsOf = (em: Em, workspaceId: string, automationId: string) =>
  kyselyOf(em, AutomationVersion)
    .selectFrom('automation_versions')
    .where('workspace_id', '=', workspaceId)
    .where('automation_id', '=', automationId)

export const findVersion = (
  em: Em,
  { workspaceId, automationId }: { workspaceId: string; automationId: string },
  which: { id: string } | { version: number },
): Promise<AutomationVersionRow | undefined> =>
  versionsOf(em, workspaceId, automationId)
    .selectAll()
    .$if('id' in which, (select) => select.where('id', '=', (which as { id: string }).id))
    .$if('version' in which, (select) => select.where('version', '=', (which as { version: number }).version))
    .executeTakeFirst()

/** The newest versions without their definitions, newest first. */
export const newestVersions = (
  em: Em,
  { workspaceId, automationId, max }: { workspaceId: string; automationId: string; max: number },
): Promise<VersionSummaryRow[]> =>
  versionsOf(em, workspaceId, automationId).select(summaryColumns).orderBy('version', 'desc').limit(max).execute()

/** Inserts the next version of an automation that the transaction has locked or created. */
export async function insertVersion(
  em: Em,
  of: { workspaceId: string; automationId: string; version: number },
  made: { checked: CheckedDefinition; changeNotes: string | null; by: string },
): Promise<void> {
  const { checked, changeNotes, by } = made
  const json = (value: object) => sql<JsonObject>`${JSON.stringify(value)}::jsonb`
  await kyselyOf(em, AutomationVersion)
    .insertInto('automation_versions')
    .values({
      workspace_id: of.workspaceId,
      id: newId(),
      automation_id: of.automationId,
      version: of.version,
      trigger_type: checked.triggerType,
      definition: json(checked.definition),
      definition_checksum: checked.checksum,
      validation: json(checked.validation),
      preview: json(checked.preview),
      change_notes: changeNotes,
      created_by_wallet_id: by,
    })
    .execute()
}
