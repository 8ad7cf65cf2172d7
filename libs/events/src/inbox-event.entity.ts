import { defineEntity, p } from '@mikro-orm/core'

/** An event that a consumer has handled. */
export const InboxEvent = defineEntity({
  name: 'InboxEvent',
  tableName: 'inbox',
  properties: {
    consumer: p.text().primary(),
    eventId: p.uuid().primary(),
    handledAt: p.datetime().defaultRaw('now()'),
  },
})
