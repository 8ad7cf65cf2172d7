import { defineEntity, p } from '@mikro-orm/core'
import { column, columns, newId, sql, statement, type Em } from '@lettergate/database'
import type { DefinedField, FieldType } from './custom-fields.ts'
import type { FieldDefinitionInput } from './field-definition.ts'
import { mapLimitViolation } from '../workspaces/limit-violation.ts'

/** Versions are added, never changed. */
export const FieldDefinition = defineEntity({
  name: 'FieldDefinition',
  tableName: 'field_definitions',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    fieldKey: p.text(),
    version: p.integer(),
    label: p.text(),
    fieldType: p.text().$type<FieldType>(),
    options: p.array(),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

const selectInForce = statement(
  'select-field-definitions-by-key',
  columns(FieldDefinition, 'field_key', 'field_type', 'options'),
)
const lockKey = statement('lock-field-key', { held: column.integer() })
const insertDefinition = statement('insert-field-definition', columns(FieldDefinition, 'id', 'version'))
const selectListed = statement(
  'select-field-definitions',
  columns(FieldDefinition, 'id', 'field_key', 'label', 'field_type', 'options', 'version'),
)

/** The version in force of each of these keys; undefined keys are absent. */
export async function definitionsInForce(
  em: Em,
  workspaceId: string,
  keys: readonly string[],
): Promise<DefinedField[]> {
  const found = await selectInForce.rows(
    em,
    sql`select distinct on (field_key) field_key, field_type, options from field_definitions
         where workspace_id = ${workspaceId} and field_key = any(${[...keys]}::text[])
         order by field_key, version desc`,
  )
  return found.map(({ field_key, field_type, options }) => ({ fieldKey: field_key, fieldType: field_type, options }))
}

/** Prevents other definitions of this key until the transaction ends, also for a new key. */
export async function holdFieldKey(em: Em, workspaceId: string, fieldKey: string): Promise<void> {
  await lockKey.row(
    em,
    sql`select 1 as held from pg_advisory_xact_lock(hashtextextended(${`field_definitions ${workspaceId} ${fieldKey}`}, 0))`,
  )
}

/** Adds the next version of a key that this transaction holds. Fault `failed_precondition` for one key too many. */
export async function appendDefinition(
  em: Em,
  workspaceId: string,
  { fieldKey, label, fieldType, options, createdBy }: FieldDefinitionInput & { createdBy: string },
): Promise<{ id: string; version: number }> {
  const appended = await insertDefinition
    .row(
      em,
      sql`insert into field_definitions (workspace_id, id, field_key, version, label, field_type, options, created_by)
        select ${workspaceId}::uuid, ${newId()}::uuid, ${fieldKey}, coalesce(max(version), 0) + 1, ${label}, ${fieldType},
               ${[...options]}::text[], ${createdBy}
          from field_definitions where workspace_id = ${workspaceId} and field_key = ${fieldKey}
        returning id, version`,
    )
    .catch(mapLimitViolation('field_definitions'))
  return appended!
}

/** A version in force as people see it. */
export interface ListedDefinition extends FieldDefinitionInput {
  readonly id: string
  readonly version: number
}

/** The version in force of every key of this workspace, by key. */
export async function listDefinitions(em: Em, workspaceId: string) {
  const found = await selectListed.rows(
    em,
    sql`select distinct on (field_key) id, field_key, label, field_type, options, version from field_definitions
         where workspace_id = ${workspaceId} order by field_key, version desc`,
  )
  return found.map(({ field_key: fieldKey, field_type: fieldType, ...rest }): ListedDefinition => ({
    ...rest,
    fieldKey,
    fieldType,
  }))
}
