import type {
  ListCampaignRunRecipientsRequest,
  ListCampaignRunRecipientsResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { column, columns, nullable, sql, statement, type RowOf, type Sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { pageOf, pageSize, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { factColumns, factList, factsOf, outcome, joinMessageState, reasons } from '../messages/message-fact.entity.ts'
import { bouncedAt, type MessageOutcome } from '../messages/outcome.ts'
import type { RecipientState } from '../messages/recipient-state.ts'
import { requireRun } from './campaign-run.entity.ts'
import { recipientConditions } from './recipient-filters.ts'
import { RunRecipient } from './run-recipient.entity.ts'
import { moment } from '@lettergate/values/moment'

const listedColumns = {
  ...columns(RunRecipient, 'id', 'contact_id', 'audience_id', 'normalized_email'),
  state: column.text<RecipientState>(),
  outcome: nullable(column.text<MessageOutcome>()),
  reasons: column.texts(),
  claimed_at: nullable(column.timestamptz()),
  ...factColumns,
}
const selectPage = statement('select-run-recipient-page', listedColumns)

/** Lists the recipients of a run by address, one page at a time, each with the state of its message and the reasons. */
export async function listCampaignRunRecipients(
  ctx: Ctx,
  req: ListCampaignRunRecipientsRequest,
): Promise<Reply<typeof ListCampaignRunRecipientsResponseSchema>> {
  const limit = parseLimit(req.limit, exportedAtOnce)
  return ctx.tx(
    async (em) => {
      const run = await requireRun(em, ctx.workspaceId, req.runId)
      const { among, isFrequent, where, search } = recipientConditions(run.id, req)
      const list = `recipients_of_${run.id}`
      const after = parseCursor(list, req.cursor)
      const from = sql`r.normalized_email > (select normalized_email from run_recipients where workspace_id = ${ctx.workspaceId} and run_id = ${run.id} and id = ${after}::uuid)`
      // The list order is applied before the joins, so that only the recipients of one page are looked up.
      const select = (ids: Sql | undefined, nearest: Sql) =>
        selectPage.rows(
          em,
          sql`with ${ids === undefined ? sql`` : sql`among as materialized (${ids}),`} r as not materialized (
              select r.* from run_recipients r
               where r.workspace_id = ${ctx.workspaceId} and r.run_id = ${run.id} and ${search} ${after === null ? sql`` : sql`and ${from}`}
                 ${ids === undefined ? sql`` : sql`and r.id in (select id from among)`}
               order by r.normalized_email ${nearest})
            select r.id, r.contact_id, r.audience_id, r.normalized_email, s.state, ${outcome} as outcome, ${reasons} as reasons, h.claimed_at, ${factList}
              from r ${joinMessageState(sql`r.run_id`)} where ${where} order by r.normalized_email limit ${limit + 1}`,
        )
      const near = isFrequent ? await select(undefined, sql`limit ${Math.max(nearestAtOnce, limit * 2)}`) : []
      const found = near.length > limit ? near : await select(among, sql`offset 0`)
      const { page, nextCursor } = pageOf(list, found, limit)
      return { recipients: page.map(recipient), nextCursor }
    },
    { isSnapshot: true, isLong: limit > pageSize.max },
  )
}

/** Recipients that are read first, when many of them match. */
const nearestAtOnce = 1_000

/** Page size of exports. */
const exportedAtOnce = 1_000

function recipient(row: RowOf<typeof listedColumns>) {
  const facts = factsOf(row)
  return {
    id: row.id,
    contactId: row.contact_id,
    audienceId: row.audience_id,
    email: row.normalized_email,
    state: row.state,
    outcome: row.outcome ?? undefined,
    reasons: row.reasons,
    handedOffAt: row.outcome === null ? undefined : moment(row.claimed_at),
    deliveredAt: moment(facts.delivered),
    softFailedAt: moment(facts.soft_failed),
    bouncedAt: moment(bouncedAt(facts)),
    openedAt: moment(facts.opened),
    clickedAt: moment(facts.clicked),
    complainedAt: moment(facts.complained),
    unsubscribedAt: moment(facts.unsubscribed),
  }
}
