import type {
  ListContactMessagesRequest,
  ListContactMessagesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { column, nullable, sql, statement, type RowOf } from '@lettergate/database'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { factColumns, factList, factsOf, joinMessageState, reasons } from './message-fact.entity.ts'
import { bouncedAt } from './outcome.ts'
import type { RecipientState } from './recipient-state.ts'

const listedColumns = {
  id: column.uuid(),
  audience_id: nullable(column.uuid()),
  subject: column.text(),
  run_id: nullable(column.uuid()),
  campaign_id: nullable(column.uuid()),
  campaign_name: nullable(column.text()),
  automation_id: nullable(column.uuid()),
  enrollment_id: nullable(column.uuid()),
  state: column.text<RecipientState>(),
  reasons: column.texts(),
  claimed_at: nullable(column.timestamptz()),
  ...factColumns,
}
const selectPage = statement('select-messages-of-contact', listedColumns)

/**
 * Lists the messages of runs and automations to one contact, newest first, one page at a time, each with its state. Runs that were
 * taken back before they began are left out. Empty for an unknown contact, because contacts-consent owns contacts.
 */
export async function listContactMessages(
  ctx: Ctx,
  req: ListContactMessagesRequest,
): Promise<Reply<typeof ListContactMessagesResponseSchema>> {
  const { workspaceId } = ctx
  const { contactId } = req
  const limit = parseLimit(req.limit)
  const after = parseCursor('contact_messages', req.cursor)
  if (!isUuid(contactId)) return { messages: [] }
  const found = await ctx.tx((em) =>
    selectPage.rows(
      em,
      sql`with messages as (
            select m.workspace_id, m.id, m.run_id as origin_id, m.batch, m.audience_id, c.campaign_id, v.name as campaign_name,
                   v.content_version_id, null::uuid as enrollment_id
              from run_recipients m
              join campaign_runs c on c.workspace_id = ${workspaceId} and c.id = m.run_id and c.state not in ('building', 'unscheduled')
              join snapshots s on s.workspace_id = ${workspaceId} and s.id = c.snapshot_id
              join campaign_draft_versions v on v.workspace_id = ${workspaceId} and v.campaign_id = c.campaign_id and v.version = s.draft_version
             where m.workspace_id = ${workspaceId} and m.contact_id = ${contactId}
            union all
            select workspace_id, id, automation_id, batch, audience_id, null, null, content_version_id, enrollment_id
              from automation_emails where workspace_id = ${workspaceId} and contact_id = ${contactId}),
          r as materialized (
            select * from messages where (${after}::uuid is null or id < ${after}::uuid) order by id desc limit ${limit + 1})
          select r.id, r.audience_id, t.subject, r.campaign_id, r.campaign_name, r.enrollment_id, s.state,
                 case when r.campaign_id is not null then r.origin_id end as run_id,
                 case when r.campaign_id is null then r.origin_id end as automation_id,
                 ${reasons} as reasons, h.claimed_at, ${factList}
            from r
            join content_versions t on t.workspace_id = ${workspaceId} and t.id = r.content_version_id
            ${joinMessageState(sql`r.origin_id`)}
           order by r.id desc`,
    ),
  )
  const { page, nextCursor } = pageOf('contact_messages', found, limit)
  return { messages: page.map(listed), nextCursor }
}

function listed(row: RowOf<typeof listedColumns>) {
  const facts = factsOf(row)
  return {
    id: row.id,
    audienceId: row.audience_id ?? undefined,
    subject: row.subject,
    runId: row.run_id ?? undefined,
    campaignId: row.campaign_id ?? undefined,
    campaignName: row.campaign_name ?? undefined,
    automationId: row.automation_id ?? undefined,
    enrollmentId: row.enrollment_id ?? undefined,
    state: row.state,
    reasons: row.reasons,
    handedOffAt: ['accepted', 'delivered', 'soft_failed', 'hard_bounced', 'unknown'].includes(row.state)
      ? moment(row.claimed_at)
      : undefined,
    deliveredAt: moment(facts.delivered),
    bouncedAt: moment(bouncedAt(facts)),
    openedAt: moment(facts.opened),
    clickedAt: moment(facts.clicked),
    complainedAt: moment(facts.complained),
    unsubscribedAt: moment(facts.unsubscribed),
  }
}
