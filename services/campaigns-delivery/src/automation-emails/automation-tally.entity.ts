import { defineEntity, p } from '@mikro-orm/core'

/**
 * How many emails of automations whose steps began in this hour were in accepted hand-offs, and how many have this outcome. A
 * trigger of `hand_offs`, and `tallyEmails` or a trigger of `message_facts`, keep them current. Only the sum over the slots is meaningful.
 */
export const AutomationTally = defineEntity({
  name: 'AutomationTally',
  tableName: 'automation_tallies',
  properties: {
    workspaceId: p.uuid().primary(),
    /** by the ids of the steps */
    hour: p.datetime().primary(),
    kind: p.text().$type<'accepted' | 'delivered' | 'hard_bounced'>().primary(),
    slot: p.smallint().primary(),
    messages: p.bigint(),
  },
})
