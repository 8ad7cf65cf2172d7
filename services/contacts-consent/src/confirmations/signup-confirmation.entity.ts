import { defineEntity, p } from '@mikro-orm/core'
import { arrayOf, column, columns, kyselyOf, sql, statement, textsOf, type Em, type RowOf } from '@lettergate/database'

/** How a confirmation stands. One that is pending after its expiry has expired. */
export type ConfirmationState = 'pending' | 'confirmed' | 'withdrawn' | 'expired'

/** A sign-up that waits, or waited, for the person to confirm it. It names ids only, and is deleted with the contact. */
export const SignupConfirmation = defineEntity({
  name: 'SignupConfirmation',
  tableName: 'signup_confirmations',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    sourceId: p.uuid(),
    contactId: p.uuid(),
    audienceId: p.uuid(),
    /** the sign-up in the consent record */
    consentEventId: p.uuid(),
    state: p.text().$type<ConfirmationState>(),
    requestedAt: p.datetime(),
    expiresAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    confirmedEventId: p.uuid().nullable(),
  },
})

/** A sign-up is confirmed within this time or not at all. */
export const confirmWithinDays = 7
/** Confirmation emails to one contact in a workspace within a day, over all audiences. */
const emailsPerDayMax = 3

export interface NewConfirmation {
  id: string
  sourceId: string
  contactId: string
  audienceId: string
  consentEventId: string
}

const expireSome = statement('expire-signup-confirmations')
const insertedColumns = columns(SignupConfirmation, 'id', 'expires_at')
const insertSome = statement('insert-signup-confirmations', insertedColumns)

/**
 * Stores the confirmations of these sign-ups, one for each contact. None is stored while the contact has a pending one for the
 * audience, or had three within a day, so that nobody can use a form to fill a mailbox. This transaction must hold the locks of
 * the contacts. Answers the stored ones.
 */
export async function insertConfirmations(
  em: Em,
  workspaceId: string,
  requested: readonly NewConfirmation[],
): Promise<RowOf<typeof insertedColumns>[]> {
  const of = <K extends keyof NewConfirmation>(key: K) => arrayOf(requested.map((one) => one[key]))
  await expireSome.execute(
    em,
    sql`update signup_confirmations set state = 'expired', ended_at = now()
         where workspace_id = ${workspaceId} and contact_id = any(${of('contactId')}::uuid[])
           and state = 'pending' and expires_at <= now()`,
  )
  return insertSome.rows(
    em,
    sql`insert into signup_confirmations (workspace_id, id, source_id, contact_id, audience_id, consent_event_id, expires_at)
        select ${workspaceId}::uuid, q.id, q.source_id, q.contact_id, q.audience_id, q.event_id,
               now() + ${confirmWithinDays} * interval '1 day'
          from unnest(${of('id')}::uuid[], ${of('sourceId')}::uuid[], ${of('contactId')}::uuid[], ${of('audienceId')}::uuid[],
                      ${of('consentEventId')}::uuid[]) as q (id, source_id, contact_id, audience_id, event_id)
         where (select count(*) from signup_confirmations k
                 where k.workspace_id = ${workspaceId} and k.contact_id = q.contact_id
                   and k.requested_at > now() - interval '1 day') < ${emailsPerDayMax}
        on conflict (workspace_id, contact_id, audience_id) where state = 'pending' do nothing
        returning id, expires_at`,
  )
}

const withdrawSome = statement('withdraw-signup-confirmations')

/** Ends the pending confirmations that these withdrawals concern. A withdrawal without an audience concerns all. */
export async function withdrawConfirmations(
  em: Em,
  workspaceId: string,
  withdrawals: readonly { contactId: string; audienceId: string | null }[],
): Promise<void> {
  if (withdrawals.length === 0) return
  await withdrawSome.execute(
    em,
    sql`update signup_confirmations s set state = 'withdrawn', ended_at = now()
          from unnest(${arrayOf(withdrawals.map((one) => one.contactId))}::uuid[],
                      ${textsOf(withdrawals.map((one) => one.audienceId))}::text[]) as q (contact_id, audience_id)
         where s.workspace_id = ${workspaceId} and s.contact_id = q.contact_id and s.state = 'pending'
           and (q.audience_id is null or s.audience_id = q.audience_id::uuid)`,
  )
}

const foundColumns = {
  ...columns(SignupConfirmation, 'id', 'contact_id', 'audience_id', 'consent_event_id', 'requested_at', 'ended_at'),
  state: column.text<ConfirmationState>(),
}
const selectOne = statement('select-signup-confirmation', foundColumns)
export type FoundConfirmation = RowOf<typeof foundColumns>

/** One confirmation with its current state. */
export const findConfirmation = (em: Em, workspaceId: string, id: string): Promise<FoundConfirmation | undefined> =>
  selectOne.row(
    em,
    sql`select id, contact_id, audience_id, consent_event_id, requested_at, ended_at,
               case when state = 'pending' and expires_at <= now() then 'expired' else state end as state
          from signup_confirmations where workspace_id = ${workspaceId} and id = ${id}`,
  )

/** Stores that a pending confirmation was confirmed, with the consent event that records it. */
export async function endConfirmation(
  em: Em,
  workspaceId: string,
  { id, eventId }: { id: string; eventId: string },
): Promise<void> {
  await kyselyOf(em, SignupConfirmation)
    .updateTable('signup_confirmations')
    .set({ state: 'confirmed', ended_at: sql`now()`, confirmed_event_id: eventId })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
}
