export interface LinkUse {
  contactId: string
  /** the audience that the use ends; null is the whole workspace */
  audienceId: string | null
  via: 'one_click' | 'preference_page'
  isExpired: boolean
  /** false if the withdrawal was in effect already, or if there was nothing to end */
  changed: boolean
}

/** The actor of a signed link: a recipient without an account. */
export const recipient = { actor: 'recipient', actorKind: 'recipient' } as const

/** The audit record of one use of a preference link. */
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
