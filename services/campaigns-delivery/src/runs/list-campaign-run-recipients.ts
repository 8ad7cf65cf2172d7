import type {
  ListCampaignRunRecipientsRequest,
  ListCampaignRunRecipientsResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { pageOf, pageSize, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { factColumns, factsOf, outcome, joinMessageState, type FactTimes } from '../messages/message-fact.entity.ts'
import type { MessageOutcome } from '../messages/outcome.ts'
import type { RecipientState } from '../messages/recipient-state.ts'
import { requireRun } from './campaign-run.entity.ts'
import { reasons, recipientConditions } from './recipient-filters.ts'
import { moment } from '@lettergate/values/moment'

interface ListedRecipientRow extends FactTimes {
  id: string
  contact_id: string
  audience_id: string
  normalized_email: string
  state: RecipientState
  outcome: MessageOutcome | null
  reasons: string[]
  claimed_at: string | null
}

/** Lists the recipients of a run by address, one page at a time, each with the state of its message and the reasons. */
export async function listCampaignRunRecipients(
  ctx: Ctx,
  req: ListCampaignRunRecipientsRequest,
): Promise<Reply<typeof ListCampaignRunRecipientsResponseSchema>> {
  const limit = parseLimit(req.limit, exportedAtOnce)
  return ctx.tx(
    async (em) => {
      const run = await requireRun(em, ctx.workspaceId, req.runId)
      const { among, where, search } = recipientConditions(run.id, req)
      const list = `recipients_of_${run.id}`
      const after = parseCursor(list, req.cursor)
      const from = sql`r.normalized_email > (select normalized_email from run_recipients where workspace_id = ${ctx.workspaceId} and run_id = ${run.id} and id = ${after}::uuid)`
      // The list order is applied before the joins, so that only the recipients of one page are looked up.
      const found = await rows<ListedRecipientRow>(
        em,
        sql`with ${among === undefined ? sql`` : sql`among as materialized (${among}),`} r as not materialized (
              select r.* from run_recipients r
               where r.workspace_id = ${ctx.workspaceId} and r.run_id = ${run.id} and ${search} ${after === null ? sql`` : sql`and ${from}`}
                 ${among === undefined ? sql`` : sql`and r.id in (select id from among)`}
               order by r.normalized_email offset 0)
            select r.id, r.contact_id, r.audience_id, r.normalized_email, s.state, ${outcome} as outcome, ${reasons} as reasons, h.claimed_at, ${factColumns}
              from r ${joinMessageState(sql`r.run_id`)} where ${where} order by r.normalized_email limit ${limit + 1}`,
      )
      const { page, nextCursor } = pageOf(list, found, limit)
      return { recipients: page.map(recipient), nextCursor }
    },
    { isSnapshot: true, isLong: limit > pageSize.max },
  )
}

/** Page size of exports. */
const exportedAtOnce = 1_000

function recipient(row: ListedRecipientRow) {
  const facts = factsOf(row)
  const bounces = [facts.hard_bounced, facts.provider_suppressed].filter((at) => at !== undefined)
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
    bouncedAt: moment(bounces.sort((a, b) => a.getTime() - b.getTime())[0]),
    openedAt: moment(facts.opened),
    clickedAt: moment(facts.clicked),
    complainedAt: moment(facts.complained),
    unsubscribedAt: moment(facts.unsubscribed),
  }
}
