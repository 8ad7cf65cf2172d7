import { defineEntity, p } from '@mikro-orm/core'

/** The current state of one contact in one audience. Its history is in consent_events. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    workspaceId: p.uuid().primary(),
    audienceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    isActive: p.boolean(),
    consent: p.text().nullable(),
    consentEventId: p.uuid().nullable(),
    consentChangedAt: p.datetime().nullable(),
    underReviewSince: p.datetime().nullable(),
    /** kept and read only where the audience has a minimum interval */
    lastHandedOffAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
