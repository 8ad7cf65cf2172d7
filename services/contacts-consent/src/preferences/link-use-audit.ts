import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { column, sql, statement, type Em } from '@lettergate/database'
import { publishOnce } from '@lettergate/events'
import { repeatedUseId, type PreferenceClaim } from './preference-token.ts'

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

const holdUse = statement('hold-link-use', { held: column.integer() })

/** Audits a use that changes nothing, once a day for each link, also if its contact was deleted and there is no row to lock. */
export async function auditRepeatedUse(em: Em, claim: PreferenceClaim, now: Date, use: Omit<LinkUse, 'changed'>) {
  const id = repeatedUseId(claim, now)
  await holdUse.row(em, sql`select 1 as held from pg_advisory_xact_lock(hashtextextended(${`link use ${id}`}, 0))`)
  await publishOnce(em, AuditRecordedSchema, id, linkUseAudit({ ...use, changed: false }))
}
