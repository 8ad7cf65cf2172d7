import { defineEntity, p } from '@mikro-orm/core'

/** What the messages of a hand-off belong to. */
export type HandOffKind = 'run' | 'test_send' | 'automation' | 'confirmation'

/** `put_back`: the call certainly did not happen, and its recipients may be in another hand-off. */
export type HandOffState = 'claimed' | 'accepted' | 'put_back' | 'failed' | 'unknown'

/** One call to the provider: its messages, stored as an intent before the call, and its result. */
export const HandOff = defineEntity({
  name: 'HandOff',
  tableName: 'hand_offs',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text().$type<HandOffKind>(),
    originId: p.uuid(),
    batch: p.integer(),
    messageIds: p.array<string>().columnType('uuid[]'),
    recipientCount: p.integer().generated('always').default(0),
    connectionId: p.uuid(),
    domainName: p.text(),
    region: p.text(),
    credentialEnvKey: p.text(),
    slot: p.smallint().nullable(),
    state: p.text().$type<HandOffState>(),
    judgedAt: p.datetime(),
    claimedAt: p.datetime(),
    providerMessageId: p.text().nullable(),
    reason: p.text().nullable(),
    settledAt: p.datetime().nullable(),
    lookups: p.smallint(),
    nextLookupAt: p.datetime().nullable(),
    lookupAlertedAt: p.datetime().nullable(),
  },
})
