import { defineEntity, p } from '@mikro-orm/core'

export const ConsentWithdrawals = defineEntity({
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
