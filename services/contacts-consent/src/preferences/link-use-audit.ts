export interface LinkUse {
  contactId: string
  /** what the use ends; null is the whole workspace */
  audienceId: string | null
  via: 'one_click' | 'preference_page'
  isExpired: boolean
  /** false where the withdrawal stood already, or where there was nothing to end */
  changed: boolean
}

/** The person who acts by a signed link: they have no account. */
export const recipient = { actor: 'recipient', actorKind: 'recipient' } as const

/** What the audit log has of one use of a preference link. */
export const linkUseAudit = ({ contactId, audienceId, via, isExpired, changed }: LinkUse) => ({
  action: 'preference_link_used',
  subjectType: 'contact',
  subjectId: contactId,
  actor: recipient.actor,
  detail: {
    scope: audienceId === null ? 'workspace' : 'audience',
    via,
    link_expired: isExpired,
    changed,
    ...(audienceId === null ? {} : { audience_id: audienceId }),
  },
})
