import { defineEntity, p } from '@mikro-orm/core'
import { column, columns, kyselyOf, listOf, sql, statement, type Em, type RowOf } from '@lettergate/database'

/** The email of one sign-up that waits for its confirmation. Its id is that of the confirmation, and of the message. */
export const ConfirmationEmail = defineEntity({
  name: 'ConfirmationEmail',
  tableName: 'confirmation_emails',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    audienceId: p.uuid(),
    senderIdentityId: p.uuid(),
    contentVersionId: p.uuid(),
    /** in no hand-off but those that were put back, and without a final state */
    isWaiting: p.boolean().default(true),
    /** when it is tried again */
    dueAt: p.datetime().defaultRaw('clock_timestamp()'),
    expiresAt: p.datetime(),
    correlationId: p.text(),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
  },
})

const ownColumns = columns(
  ConfirmationEmail,
  'workspace_id',
  'id',
  'contact_id',
  'audience_id',
  'sender_identity_id',
  'content_version_id',
)
const dueColumns = { ...ownColumns, is_expired: column.boolean(), waited_ms: column.double() }
const takeDue = statement('take-due-confirmation-emails', dueColumns)

/** An email to send now. */
export type DueConfirmation = RowOf<typeof dueColumns>

/** A query that finds a row when an email is due. */
export const dueConfirmations = 'select from confirmation_emails where is_waiting and due_at <= now()'

const reservedSeconds = 30

/** Reserves due emails for half a minute, so that workers do not try the same ones at once. */
export const takeDueConfirmations = (em: Em, limit: number): Promise<DueConfirmation[]> =>
  takeDue.rows(
    em,
    sql`with due as (
          select workspace_id, id from confirmation_emails where is_waiting and due_at <= now()
           order by due_at limit ${limit} for update skip locked)
        update confirmation_emails e set due_at = now() + ${reservedSeconds} * interval '1 second'
          from due where e.workspace_id = due.workspace_id and e.id = due.id
        returning ${listOf(ownColumns, 'e')}, e.expires_at <= now() as is_expired,
          extract(epoch from now() - e.created_at)::float8 * 1000 as waited_ms`,
  )

/** Locks the email until the transaction ends. Returns whether it still waits. */
export async function lockWaiting(em: Em, workspaceId: string, id: string): Promise<boolean> {
  const found = await kyselyOf(em, ConfirmationEmail)
    .selectFrom('confirmation_emails')
    .select('is_waiting')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return found?.is_waiting ?? false
}

/** The email is in a hand-off, or has a final state. */
export async function stopWaiting(em: Em, workspaceId: string, id: string): Promise<void> {
  await em.nativeUpdate(ConfirmationEmail, { workspaceId, id }, { isWaiting: false })
}

/** The email is tried again at this time; null for at once. */
export async function waitUntil(em: Em, workspaceId: string, id: string, dueAt: Date | null): Promise<void> {
  await kyselyOf(em, ConfirmationEmail)
    .updateTable('confirmation_emails')
    .set({ is_waiting: true, due_at: dueAt?.toISOString() ?? sql`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
