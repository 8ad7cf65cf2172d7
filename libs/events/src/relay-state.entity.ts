import { defineEntity, p } from '@mikro-orm/core'

/** Which stream the outbox was last published to. */
export const RelayState = defineEntity({
  name: 'RelayState',
  tableName: 'relay_state',
  properties: { stream: p.text().primary(), streamCreatedAt: p.datetime() },
})
