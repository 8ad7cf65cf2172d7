import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { canonicalJson, sha256Of } from '@lettergate/canonical-json'
import { columns, newId, sql, statement, type Em, type Sql } from '@lettergate/database'

/** What many rows have in common, such as the file of an import and its approval. Append-only, and it names no contact. */
export const SharedDetails = defineEntity({
  name: 'SharedDetails',
  tableName: 'shared_details',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    sha256: p.text(),
    details: p.json<JsonObject>(),
  },
})

const idColumns = columns(SharedDetails, 'id')
const selectShared = statement('select-shared-details', idColumns)
const insertShared = statement('insert-shared-details')

/**
 * The id of these details, which are stored once in a workspace. Call it after the locks of contacts: two transactions that store
 * the same details wait for each other.
 */
export async function sharedDetailsId(em: Em, workspaceId: string, details: JsonObject): Promise<string> {
  const sha256 = sha256Of(details)
  const find = () =>
    selectShared.row(em, sql`select id from shared_details where workspace_id = ${workspaceId} and sha256 = ${sha256}`)
  const known = await find()
  if (known) return known.id
  await insertShared.execute(
    em,
    sql`insert into shared_details (workspace_id, id, sha256, details)
        values (${workspaceId}, ${newId()}, ${sha256}, ${canonicalJson(details)}::jsonb)
        on conflict on constraint shared_details_sha256 do nothing`,
  )
  return (await find())!.id
}

/** The own details of a row together with those that it shares, as JSON. `row` has a column `shared_id`. */
export const withShared = (workspaceId: string, row: Sql, own: Sql): Sql => sql`
  case when ${row}.shared_id is null then ${own}
       else coalesce((select h.details from shared_details h
                       where h.workspace_id = ${workspaceId} and h.id = ${row}.shared_id), '{}') || ${own} end`
