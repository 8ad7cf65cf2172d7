import { defineEntity, p } from '@mikro-orm/core'

export const HandOffs = defineEntity({
  name: 'HandOff',
  tableName: 'hand_offs',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    runId: p.uuid(),
    batch: p.integer(),
    connectionId: p.uuid(),
    domainName: p.text(),
    region: p.text(),
    credentialEnvKey: p.text(),
    recipientCount: p.integer(),
    slot: p.smallint().nullable(),
    state: p.text().$type<'claimed' | 'accepted' | 'put_back' | 'failed' | 'unknown'>(),
    judgedAt: p.datetime(),
    claimedAt: p.datetime(),
    providerMessageId: p.text().nullable(),
    reason: p.text().nullable(),
    settledAt: p.datetime().nullable(),
    lookups: p.smallint(),
    nextLookupAt: p.datetime().nullable(),
  },
})
