import { defineEntity, p } from '@mikro-orm/core'
import { newId, sql, statement, type Em } from '@lettergate/database'

export const ConsentWithdrawal = defineEntity({
  name: 'ConsentWithdrawal',
  tableName: 'consent_withdrawals',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    audienceId: p.uuid().nullable(),
    withdrawnAt: p.datetime(),
  },
})

const insertWithdrawals = statement('insert-consent-withdrawals')

interface WithdrawalRecord {
  contactId: string
  /** null: for the whole workspace */
  audienceId: string | null
  at: Date
}

/** Stores when contacts withdrew consent. The same withdrawal may be stored twice; reports count recipients. */
export async function recordWithdrawals(
  em: Em,
  workspaceId: string,
  withdrawals: readonly WithdrawalRecord[],
): Promise<void> {
  if (withdrawals.length === 0) return
  await insertWithdrawals.execute(
    em,
    sql`insert into consent_withdrawals (workspace_id, id, contact_id, audience_id, withdrawn_at)
        select ${workspaceId}::uuid, t.* from unnest(${withdrawals.map(() => newId())}::uuid[], ${withdrawals.map(({ contactId }) => contactId)}::uuid[],
          ${withdrawals.map(({ audienceId }) => audienceId)}::uuid[], ${withdrawals.map(({ at }) => at)}::timestamptz[]) as t`,
  )
}
