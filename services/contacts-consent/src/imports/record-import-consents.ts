import type { JsonObject } from '@bufbuild/protobuf'
import { arrayOf, held, sql, statement, unplanned, uuidsOf, type Em } from '@lettergate/database'
import { recordGrants, type Actor } from '../consent-record/consent-event.entity.ts'
import { evidenceTextSha256, newSalts } from '../consent-record/seal-hashes.ts'
import { sharedDetailsId } from '../shared-details/shared-details.entity.ts'
import { canonicalRowEvidence, ownEvidence } from './import-evidence.ts'
import type { RowPlan } from './import-plan.ts'

/** The consent of one row. */
export interface RowConsent {
  readonly eventId: string
  readonly contactId: string
  /** the contact has a membership of the audience already, perhaps */
  readonly isNewContact: boolean
  /** waits for a decision of an operator; the contact cannot get email before it */
  readonly isForReview: boolean
  readonly rowNumber: number
  readonly capturedAt: string | null
}

const insertMembers = statement('insert-import-memberships')
const changeMembers = statement('change-import-memberships')

/** The wording of the consent record if the policy of an import names none. */
const noWording = 'not_given'
/** The source of everything that imports write to the consent record. */
export const importSource = 'csv_import'

const membersOf = (workspaceId: string, audienceId: string, consents: readonly RowConsent[]) => sql`
  insert into memberships as m (workspace_id, audience_id, contact_id, is_active, consent, consent_event_id,
         consent_changed_at, under_review_since)
  select ${workspaceId}::uuid, ${audienceId}::uuid, i.contact_id, not i.is_for_review, 'granted', i.event_id, now(),
         case when i.is_for_review then now() end
    from unnest(${unplanned(uuidsOf(consents.map((one) => one.contactId)), 'uuid[]')},
                ${unplanned(uuidsOf(consents.map((one) => one.eventId)), 'uuid[]')},
                ${unplanned(arrayOf(consents.map((one) => String(one.isForReview))), 'boolean[]')})
      as i (contact_id, event_id, is_for_review)`

/**
 * Appends consents to the record and makes the contacts members, or marks them as under review. The contacts must be locked, and
 * none of them has withdrawn or is suppressed.
 */
export async function recordImportConsents(
  em: Em,
  {
    workspaceId,
    plan,
    by,
    sharedEvidence,
  }: { workspaceId: string; plan: RowPlan; by: Actor; sharedEvidence: JsonObject },
  consents: readonly RowConsent[],
): Promise<void> {
  const canonical = canonicalRowEvidence(sharedEvidence)
  const salts = newSalts(consents.length)
  await recordGrants(em, by, {
    audienceId: plan.audienceId,
    source: importSource,
    wordingVersion: plan.wordingVersion ?? noWording,
    sharedEvidenceId: await sharedDetailsId(em, workspaceId, sharedEvidence),
    each: consents.map((one, at) => {
      const { rowNumber, capturedAt } = one
      const salt = salts[at]!
      return {
        id: one.eventId,
        contactId: one.contactId,
        reason: one.isForReview ? 'review_required' : null,
        ownEvidence: JSON.stringify(ownEvidence(rowNumber, capturedAt)),
        salt,
        evidenceSha256: evidenceTextSha256(salt, canonical(rowNumber, capturedAt)),
        // In UTC: PostgreSQL reads no offset of 16 hours or more.
        occurredAt: capturedAt === null ? null : new Date(capturedAt.toUpperCase()).toISOString(),
      }
    }),
  })
  const [ofNew, ofExisting] = [true, false].map((isNew) => consents.filter((one) => one.isNewContact === isNew))
  // A new contact has no membership, so nothing needs to be looked up.
  if (ofNew!.length > 0) await insertMembers.execute(em, held(membersOf(workspaceId, plan.audienceId, ofNew!)))
  if (ofExisting!.length === 0) return
  await changeMembers.execute(
    em,
    held(sql`${membersOf(workspaceId, plan.audienceId, ofExisting!)}
        on conflict (workspace_id, audience_id, contact_id) do update set
          is_active = excluded.is_active or m.is_active,
          consent = case when excluded.is_active then excluded.consent else coalesce(m.consent, excluded.consent) end,
          consent_event_id = case when excluded.is_active or m.consent is null then excluded.consent_event_id
                                  else m.consent_event_id end,
          consent_changed_at = case when excluded.is_active or m.consent is null then excluded.consent_changed_at
                                    else m.consent_changed_at end,
          under_review_since = case when excluded.is_active then null
                                    else coalesce(m.under_review_since, excluded.under_review_since) end,
          updated_at = now()`),
  )
}
