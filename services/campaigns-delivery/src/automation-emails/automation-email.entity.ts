import { defineEntity, p } from '@mikro-orm/core'
import {
  column,
  columns,
  leftJoined,
  listOf,
  nullable,
  sql,
  statement,
  type Em,
  type RowOf,
} from '@lettergate/database'
import { HandOff } from '../delivery/hand-off.entity.ts'
import { joinMessageState } from '../messages/message-fact.entity.ts'
import type { RecipientState } from '../messages/recipient-state.ts'
import type { StepEmail } from './email-input.ts'

/** The message of one automation step. Written once, except for the audience and `isSingle`. */
export const AutomationEmail = defineEntity({
  name: 'AutomationEmail',
  tableName: 'automation_emails',
  properties: {
    workspaceId: p.uuid().primary(),
    /** of the step, and of the message */
    id: p.uuid().primary(),
    automationId: p.uuid(),
    enrollmentId: p.uuid(),
    batch: p.integer(),
    contactId: p.uuid(),
    /** of the last verdict; null when it was not sent and no audience was a candidate */
    audienceId: p.uuid().nullable(),
    senderIdentityId: p.uuid(),
    contentVersionId: p.uuid(),
    /** handed over alone, because the provider refused it together with others */
    isSingle: p.boolean().default(false),
    correlationId: p.text(),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
  },
})

const emailColumns = columns(AutomationEmail, 'id', 'automation_id', 'contact_id', 'audience_id', 'batch', 'is_single')
const stateColumns = {
  ...emailColumns,
  state: column.text<RecipientState>(),
  ...leftJoined({ hand_off_state: columns(HandOff, 'state').state }),
  hand_off_reason: nullable(column.text()),
  end_reasons: nullable(column.texts()),
}
const selectStates = statement('select-automation-emails', stateColumns)

/** A stored message with its state. */
export type StoredEmail = RowOf<typeof stateColumns>

/** Returns the stored messages of these steps. */
export async function readEmails(
  em: Em,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, StoredEmail>> {
  const found = await selectStates.rows(
    em,
    sql`select ${listOf(emailColumns, 'r')}, s.state, h.state as hand_off_state, h.reason as hand_off_reason, k.reasons as end_reasons
          from automation_emails r ${joinMessageState(sql`r.automation_id`)}
         where r.workspace_id = ${workspaceId} and r.id = any(${[...ids]}::uuid[])`,
  )
  return new Map(found.map((email) => [email.id, email]))
}

const insertEmails = statement('insert-automation-emails')
const lockEmails = statement('lock-automation-emails')

/**
 * Stores the messages of these steps that are not stored, locks all of them until the transaction ends, and returns their
 * states. Waits for other transactions with the same steps.
 */
export async function lockStored(
  em: Em,
  { workspaceId, batch, correlationId }: { workspaceId: string; batch: number; correlationId: string },
  emails: readonly StepEmail[],
): Promise<Map<string, StoredEmail>> {
  const of = <K extends keyof StepEmail>(key: K) => emails.map((email) => email[key])
  await insertEmails.execute(
    em,
    sql`insert into automation_emails (workspace_id, id, automation_id, enrollment_id, batch, contact_id, sender_identity_id, content_version_id, correlation_id)
        select ${workspaceId}::uuid, t.id, t.automation_id, t.enrollment_id, ${batch}::integer, t.contact_id, t.sender_identity_id, t.content_version_id, ${correlationId}
          from unnest(${of('stepId')}::uuid[], ${of('automationId')}::uuid[], ${of('enrollmentId')}::uuid[], ${of('contactId')}::uuid[],
                      ${of('senderIdentityId')}::uuid[], ${of('contentVersionId')}::uuid[]) as t (id, automation_id, enrollment_id, contact_id, sender_identity_id, content_version_id)
         order by t.id
        on conflict (workspace_id, id) do nothing`,
  )
  // The states are read by the next statement, which sees what a transaction did that this one waited for.
  await lockEmails.execute(
    em,
    sql`select from automation_emails where workspace_id = ${workspaceId} and id = any(${of('stepId')}::uuid[]) order by id for update`,
  )
  return readEmails(em, workspaceId, of('stepId'))
}

const updateAudiences = statement('store-audiences-of-automation-emails')

/** Stores the audience under which each message is sent. */
export async function storeAudiences(
  em: Em,
  workspaceId: string,
  messages: readonly { id: string; audienceId: string | null }[],
): Promise<void> {
  if (messages.length === 0) return
  await updateAudiences.execute(
    em,
    sql`update automation_emails e set audience_id = t.audience_id
          from unnest(${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ audienceId }) => audienceId)}::uuid[]) as t (id, audience_id)
         where e.workspace_id = ${workspaceId} and e.id = t.id and e.audience_id is distinct from t.audience_id`,
  )
}

const updateSingles = statement('hand-over-automation-emails-alone')

/** From now on these messages are handed over one in each call. */
export async function markSingle(em: Em, workspaceId: string, ids: readonly string[]): Promise<void> {
  await updateSingles.execute(
    em,
    sql`update automation_emails set is_single = true where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[])`,
  )
}
