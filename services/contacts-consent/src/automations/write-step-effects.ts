import { ConsentGrantedSchema } from '@lettergate/contracts/events/v1/events'
import { arrayOf, held, newId, sql, statement, type Em } from '@lettergate/database'
import { publishAll } from '@lettergate/events'
import type { Caller } from '@lettergate/service'
import { recordConsentEvents } from '../consent-record/consent-event.entity.ts'
import { textFields, type ContactTextField } from '../contacts/contact-write.ts'
import { addTags } from '../imports/write-import-contacts.ts'
import type { InitialState } from './contact-states.ts'
import type { ContactState } from './decide-step.ts'
import type { ContactStep } from './parse-steps.ts'

const automationSource = 'automation'

/** A contact before and after the steps of a call. */
export interface ChangedContact {
  readonly contactId: string
  readonly before: InitialState
  readonly after: ContactState
}

const removeTags = statement('delete-automation-contact-tags')
const changeScores = statement('change-automation-scores')
const changeFields = statement('change-automation-fields')
const insertProvenance = statement('insert-automation-provenance')
const grantMemberships = statement('grant-automation-memberships')
const endMemberships = statement('end-automation-memberships')

async function writeTags(em: Em, workspaceId: string, changed: readonly ChangedContact[]): Promise<void> {
  const removed = changed.flatMap(({ contactId, before, after }) =>
    before.tagIds.filter((tagId) => !after.tagIds.includes(tagId)).map((tagId) => ({ contactId, tagId })),
  )
  if (removed.length > 0) {
    await removeTags.execute(
      em,
      held(sql`delete from contact_tags t
         using unnest(${arrayOf(removed.map((one) => one.contactId))}::uuid[], ${arrayOf(removed.map((one) => one.tagId))}::uuid[])
               as q (contact_id, tag_id)
         where t.workspace_id = ${workspaceId} and t.contact_id = q.contact_id and t.tag_id = q.tag_id`),
    )
  }
  const added = changed.flatMap(({ contactId, before, after }) =>
    after.tagIds
      .filter((tagId) => !before.tagIds.includes(tagId))
      .map((tagId, index) => ({ contactId, tagId, position: before.lastTagPosition + index + 1 })),
  )
  await addTags(em, workspaceId, added)
}

const hasOtherTags = ({ before, after }: ChangedContact) =>
  before.tagIds.length !== after.tagIds.length || after.tagIds.some((tagId) => !before.tagIds.includes(tagId))

/** The score, and the time of change of a contact with other tags. */
async function writeScores(em: Em, workspaceId: string, changed: readonly ChangedContact[]): Promise<void> {
  const written = changed
    .map((one) => ({ ...one, amount: one.after.score - one.before.score }))
    .filter((one) => one.amount !== 0 || hasOtherTags(one))
  if (written.length === 0) return
  await changeScores.execute(
    em,
    held(sql`update contacts c set score = c.score + q.amount, updated_at = now()
        from unnest(${arrayOf(written.map((one) => one.contactId))}::uuid[], ${arrayOf(written.map((one) => one.amount))}::integer[])
             as q (contact_id, amount)
       where c.workspace_id = ${workspaceId} and c.id = q.contact_id`),
  )
}

const textNames = Object.keys(textFields) as ContactTextField[]

/** The fields after the steps. All texts are written, because the contact is locked and none else has changed them. */
const fieldsOf = ({ contactId, before, after }: ChangedContact) => ({
  id: contactId,
  ...Object.fromEntries(textNames.map((name) => [name, after.texts[name] ?? null])),
  custom_set: Object.fromEntries(
    Object.entries(after.customFields).filter(([key, value]) => before.customFields[key] !== value),
  ),
  custom_cleared: Object.keys(before.customFields).filter((key) => !Object.hasOwn(after.customFields, key)),
})

async function writeFields(em: Em, workspaceId: string, changed: readonly ChangedContact[]): Promise<void> {
  const written = changed.filter(
    ({ before, after }) => before.texts !== after.texts || before.customFields !== after.customFields,
  )
  if (written.length === 0) return
  await changeFields.execute(
    em,
    held(sql`update contacts c
         set first_name = q.first_name, last_name = q.last_name, company = q.company, country_code = q.country_code,
             locale = q.locale, timezone = q.timezone, phone = q.phone,
             custom_fields = (c.custom_fields || q.custom_set) - q.custom_cleared, updated_at = now()
        from jsonb_to_recordset(${JSON.stringify(written.map(fieldsOf))}::jsonb) as q (id uuid, first_name text, last_name text,
             company text, country_code text, locale text, timezone text, phone text, custom_set jsonb, custom_cleared text[])
       where c.workspace_id = ${workspaceId} and c.id = q.id`),
  )
}

const originOf = ({ automationId, enrollmentId, stepId }: ContactStep) => ({
  automation_id: automationId,
  enrollment_id: enrollmentId,
  step_id: stepId,
})

/** Where the new values of fields came from. */
async function appendProvenance(em: Em, workspaceId: string, by: Caller, steps: readonly ContactStep[]): Promise<void> {
  const updates = steps.filter(({ effect }) => effect.type === 'update_field')
  if (updates.length === 0) return
  const rows = updates.map((step) => ({ id: newId(), contact_id: step.contactId, source_metadata: originOf(step) }))
  await insertProvenance.execute(
    em,
    held(sql`insert into contact_provenance (workspace_id, contact_id, id, source, source_metadata, actor, actor_kind,
               correlation_id, is_creation)
        select ${workspaceId}::uuid, q.contact_id, q.id, ${automationSource}, q.source_metadata, ${by.actor}, ${by.actorKind},
               ${by.correlationId}, false
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as q (id uuid, contact_id uuid, source_metadata jsonb)`),
  )
}

/** Records and announces the consents of these steps. Answers the id of the last one, by contact and audience. */
async function recordGrants(em: Em, by: Caller, steps: readonly ContactStep[]): Promise<Map<string, string>> {
  const grants = steps.flatMap((step) =>
    step.effect.type === 'add_audience' ? [{ ...step, ...step.effect, eventId: newId() }] : [],
  )
  await recordConsentEvents(
    em,
    by,
    grants.map((step) => ({
      id: step.eventId,
      contactId: step.contactId,
      kind: 'granted',
      scope: 'audience',
      audienceId: step.audienceId,
      source: step.source,
      wordingVersion: step.wordingVersion,
      evidence: { ...originOf(step), wording_version: step.wordingVersion, source: step.source },
      sourceApplication: automationSource,
    })),
  )
  await publishAll(
    em,
    ConsentGrantedSchema,
    grants.map(({ contactId, audienceId, eventId }) => ({ contactId, audienceId, consentEventId: eventId })),
  )
  return new Map(grants.map((one) => [`${one.contactId} ${one.audienceId}`, one.eventId]))
}

async function writeMemberships(
  em: Em,
  workspaceId: string,
  changed: readonly ChangedContact[],
  grants: ReadonlyMap<string, string>,
): Promise<void> {
  const pairs = changed.flatMap(({ contactId, before, after }) =>
    [...after.standings].flatMap(([audienceId, { isActive }]) => {
      const eventId = grants.get(`${contactId} ${audienceId}`)
      const isWritten = eventId !== undefined || before.standings.get(audienceId)!.isActive !== isActive
      return isWritten ? [{ contactId, audienceId, isActive, eventId }] : []
    }),
  )
  const granted = pairs.filter((one) => one.eventId !== undefined)
  const ended = pairs.filter((one) => one.eventId === undefined)
  if (granted.length > 0) {
    await grantMemberships.execute(
      em,
      held(sql`insert into memberships as m (workspace_id, audience_id, contact_id, is_active, consent, consent_event_id, consent_changed_at)
        select ${workspaceId}::uuid, q.audience_id, q.contact_id, q.is_active, 'granted', q.event_id, now()
          from unnest(${arrayOf(granted.map((one) => one.contactId))}::uuid[], ${arrayOf(granted.map((one) => one.audienceId))}::uuid[],
                      ${arrayOf(granted.map((one) => String(one.isActive)))}::boolean[], ${arrayOf(granted.map((one) => one.eventId!))}::uuid[])
               as q (contact_id, audience_id, is_active, event_id)
        on conflict (workspace_id, audience_id, contact_id) do update
          set is_active = excluded.is_active, consent = 'granted', consent_event_id = excluded.consent_event_id,
              consent_changed_at = now(), updated_at = now()`),
    )
  }
  if (ended.length > 0) {
    await endMemberships.execute(
      em,
      held(sql`update memberships m set is_active = false, updated_at = now()
        from unnest(${arrayOf(ended.map((one) => one.contactId))}::uuid[], ${arrayOf(ended.map((one) => one.audienceId))}::uuid[])
             as q (contact_id, audience_id)
       where m.workspace_id = ${workspaceId} and m.audience_id = q.audience_id and m.contact_id = q.contact_id`),
    )
  }
}

/** Writes the applied steps of contacts that are locked, one statement for each kind of effect. It fires no trigger. */
export async function writeStepEffects(
  em: Em,
  { workspaceId, by }: { workspaceId: string; by: Caller },
  changed: readonly ChangedContact[],
  appliedSteps: readonly ContactStep[],
): Promise<void> {
  if (appliedSteps.length === 0) return
  await writeTags(em, workspaceId, changed)
  await writeScores(em, workspaceId, changed)
  await writeFields(em, workspaceId, changed)
  await appendProvenance(em, workspaceId, by, appliedSteps)
  await writeMemberships(em, workspaceId, changed, await recordGrants(em, by, appliedSteps))
}
