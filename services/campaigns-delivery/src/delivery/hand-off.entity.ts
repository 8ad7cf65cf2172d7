import { defineEntity, p } from '@mikro-orm/core'

/** What the messages of a hand-off belong to. */
export type HandOffKind = 'run' | 'test_send'

/** `put_back`: provably never happened, and its people may stand in another one. */
export type HandOffState = 'claimed' | 'accepted' | 'put_back' | 'failed' | 'unknown'

/** One call to the provider: who is in it, committed as an intent before the socket is touched, and what came of it. */
export const HandOffs = defineEntity({
  name: 'HandOff',
  tableName: 'hand_offs',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text().$type<HandOffKind>(),
    originId: p.uuid(),
    batch: p.integer(),
    messageIds: p.array(),
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
  },
})
