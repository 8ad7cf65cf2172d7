import { defineEntity, p } from '@mikro-orm/core'
import { rows, sql, type Em } from '@lettergate/database'
import type { FieldDefinition, FieldType } from '../domain/custom-fields.ts'

/** Versions are added, never changed. */
export const FieldDefinitions = defineEntity({
  name: 'FieldDefinition',
  tableName: 'field_definitions',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    fieldKey: p.text(),
    version: p.integer(),
    label: p.text(),
    fieldType: p.text(),
    options: p.array(),
    createdBy: p.text(),
    createdAt: p.datetime(),
  },
})

/** The version in force of each of these keys; undefined keys are absent. */
export async function definitionsInForce(
  em: Em,
  workspaceId: string,
  keys: readonly string[],
): Promise<FieldDefinition[]> {
  const found = await rows<{ field_key: string; field_type: FieldType; options: string[] }>(
    em,
    sql`select distinct on (field_key) field_key, field_type, options from field_definitions
         where workspace_id = ${workspaceId} and field_key = any(${[...keys]}::text[])
         order by field_key, version desc`,
  )
  return found.map(({ field_key, field_type, options }) => ({ fieldKey: field_key, fieldType: field_type, options }))
}
