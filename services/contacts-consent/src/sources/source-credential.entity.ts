import { defineEntity, p } from '@mikro-orm/core'
import { columns, newId, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { credentialSha256, newSourceCredential } from './source-credential.ts'

/** Static credentials of sources, by their hash alone. */
export const SourceCredential = defineEntity({
  name: 'SourceCredential',
  tableName: 'source_credentials',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    sourceId: p.uuid(),
    credentialSha256: p.text(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    revokedBy: p.text().nullable(),
    revokedAt: p.datetime().nullable(),
  },
})

const issuedColumns = columns(SourceCredential, 'created_at', 'created_by')
const selectCredential = statement('select-source-credential', issuedColumns)

/** The moment and the issuer of the current credential of a source. */
export const findCredential = (
  em: Em,
  workspaceId: string,
  sourceId: string,
): Promise<RowOf<typeof issuedColumns> | undefined> =>
  selectCredential.row(
    em,
    sql`select created_at, created_by from source_credentials
         where workspace_id = ${workspaceId} and source_id = ${sourceId} and revoked_at is null`,
  )

/** The source of a credential, and the actor of the change. */
export interface CredentialOf {
  workspaceId: string
  sourceId: string
  actor: string
}

const revoke = statement('revoke-source-credential')
const insertCredential = statement('insert-source-credential')

/** Revokes the current credential. Answers whether there was one. The source must be locked. */
export const revokeCredential = async (em: Em, { workspaceId, sourceId, actor }: CredentialOf): Promise<boolean> =>
  (await revoke.execute(
    em,
    sql`update source_credentials set revoked_at = now(), revoked_by = ${actor}
         where workspace_id = ${workspaceId} and source_id = ${sourceId} and revoked_at is null`,
  )) > 0

/** Issues a credential for a source without a current one. The returned credential is not stored. */
export async function issueCredential(em: Em, { workspaceId, sourceId, actor }: CredentialOf): Promise<string> {
  const credential = newSourceCredential()
  await insertCredential.execute(
    em,
    sql`insert into source_credentials (workspace_id, id, source_id, credential_sha256, created_by)
        values (${workspaceId}, ${newId()}, ${sourceId}, ${credentialSha256(credential)}, ${actor})`,
  )
  return credential
}
