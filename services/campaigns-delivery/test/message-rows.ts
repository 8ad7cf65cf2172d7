import { randomUUID } from 'node:crypto'
import type { Stage } from '@lettergate/stage'

/** Reads the message states of a run with the database's own functions. */
export const messageStatesOf = (stage: Pick<Stage, 'query'>, runId: string) =>
  stage.query<{ id: string; state: string; hand_off: string | null; hand_offs: number; reasons: string[] | null }>(
    `select r.id, campaigns.message_state(h.state, k.facts) as state, h.state as hand_off, n.hand_offs, k.reasons from campaigns.run_recipients r
       left join lateral (select state from campaigns.hand_offs o where o.origin_id = r.run_id and r.id = any(o.message_ids)
                           order by o.state = 'put_back', o.claimed_at desc limit 1) h on true
       cross join lateral (select count(*)::int as hand_offs from campaigns.hand_offs o where o.origin_id = r.run_id and r.id = any(o.message_ids) and o.state <> 'put_back') n
       cross join lateral (select coalesce(array_agg(f.fact), '{}') as facts, string_to_array(min(array_to_string(f.reasons, ',')), ',') as reasons
                             from campaigns.message_facts f where f.origin_id = r.run_id and f.message_id = r.id) k
      where r.run_id = $1 order by r.id`,
    [runId],
  )

export interface HandOffRow {
  workspaceId: string
  id: string
  kind?: 'run' | 'test_send' | 'automation'
  originId: string
  batch?: number
  messageIds: readonly string[]
  connectionId: string
  state?: string
  slot?: number
  minutesAgo?: number
  reason?: string
}

/** Inserts a hand-off without the delivery engine, and the recipients of a run that it names and that are not stored. */
export async function insertHandOff(stage: Pick<Stage, 'query'>, row: HandOffRow): Promise<void> {
  const { kind = 'run', workspaceId, originId, batch = 0, messageIds } = row
  if (kind === 'run')
    await stage.query(
      `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
       select $1, id, $2, $3, id, id, id || '@example.org' from unnest($4::uuid[]) id on conflict (id) do nothing`,
      [workspaceId, originId, batch, [...messageIds]],
    )
  await insertHandOffRow(stage, row)
}

/** Inserts the row of a hand-off only. */
export async function insertHandOffRow(stage: Pick<Stage, 'query'>, row: HandOffRow): Promise<void> {
  const { kind = 'run', batch = 0, state = 'claimed', slot = null, minutesAgo = 0, reason = null } = row
  await stage.query(
    `insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key,
                                      state, slot, reason, judged_at, claimed_at, next_lookup_at)
     select $1, $2, $3, $4, $5, $6::uuid[], $7, 'mail.acme.test', 'us', 'MAILPROVIDER_API_KEY', $8, $9, $10, t.at, t.at, case when $8 = 'unknown' then t.at end
       from (select now() - $11 * interval '1 minute' as at) t`,
    [
      row.workspaceId,
      row.id,
      kind,
      row.originId,
      batch,
      [...row.messageIds],
      row.connectionId,
      state,
      slot,
      reason,
      minutesAgo,
    ],
  )
}

export interface RecipientRow {
  workspaceId: string
  runId: string
  id: string
  contactId?: string
  batch?: number
  email?: string
}

/** Inserts a recipient of a run without a snapshot. */
export async function insertRecipient(stage: Pick<Stage, 'query'>, row: RecipientRow): Promise<void> {
  const { workspaceId, runId, id, contactId = id, batch = 0, email = `${id}@example.org` } = row
  await stage.query(
    `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email) values ($1, $2, $3, $4, $5, $2, $6)`,
    [workspaceId, id, runId, batch, contactId, email],
  )
}

/** Inserts emails of an automation without a request for them. Their ids are those of contacts too. */
export async function insertAutomationEmails(
  stage: Pick<Stage, 'query'>,
  row: { workspaceId: string; automationId: string; batch: number; messageIds: readonly string[] },
): Promise<void> {
  await stage.query(
    `with content as (
       insert into campaigns.email_templates (workspace_id, id, name, slug, created_by) values ($1, $5::uuid, 'T', 't-' || $5::text, 't')),
     version as (
       insert into campaigns.content_versions (workspace_id, id, template_id, version, subject, sanitized_html, plain_text, personalization_defaults, validation, created_by)
       values ($1, $5::uuid, $5::uuid, 1, 's', '<p>x</p>', 'x', '{}', '{}', 't'))
     insert into campaigns.automation_emails (workspace_id, id, automation_id, enrollment_id, batch, contact_id, audience_id, sender_identity_id, content_version_id, correlation_id)
     select $1, id, $2, id, $3, id, $2, $2, $5::uuid, 't' from unnest($4::uuid[]) id`,
    [row.workspaceId, row.automationId, row.batch, [...row.messageIds], randomUUID()],
  )
}

/** Appends facts of one message without the consumer. */
export async function insertFacts(
  stage: Pick<Stage, 'query'>,
  { workspaceId, originId, messageId }: { workspaceId: string; originId: string; messageId: string },
  facts: readonly { fact: string; at?: Date; reasons?: string[] }[],
): Promise<void> {
  for (const { fact, at = new Date(), reasons = null } of facts)
    await stage.query(
      `insert into campaigns.message_facts (workspace_id, origin_id, message_id, fact, at, reasons) values ($1, $2, $3, $4, $5, $6)`,
      [workspaceId, originId, messageId, fact, at, reasons],
    )
}
