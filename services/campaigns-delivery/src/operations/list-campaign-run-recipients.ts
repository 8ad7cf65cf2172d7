import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  ListCampaignRunRecipientsRequest,
  ListCampaignRunRecipientsResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireRun } from '../db/campaign-runs.ts'
import { factNames, type FactName, type Facts } from '../domain/delivery/outcome.ts'
import { standingOf, type StoredMessage } from '../domain/delivery/recipient-state.ts'
import { pageOf, pageSize, parseCursor, parseLimit } from '@lettergate/database/page'
import { recipientConditions } from '../reports/recipient-filters.ts'

type Listed = { [F in FactName as `${F}_at`]: string | null } & {
  id: string
  contact_id: string
  audience_id: string
  normalized_email: string
  state: StoredMessage['state']
  reasons: string[] | null
  hand_off_state: string | null
  hand_off_reason: string | null
  claimed_at: string | null
}

/** The people of a run in the order of their addresses, a page at a time, each with where the message stands and why. */
export async function listCampaignRunRecipients(
  ctx: Ctx,
  req: ListCampaignRunRecipientsRequest,
): Promise<Reply<typeof ListCampaignRunRecipientsResponseSchema>> {
  const limit = parseLimit(req.limit, exportedAtOnce)
  const conditions = recipientConditions(req)
  return ctx.tx(
    async (em) => {
      const run = await requireRun(em, ctx.workspaceId, req.runId)
      const list = `recipients_of_${run.id}`
      const after = parseCursor(list, req.cursor)
      const from = sql`r.normalized_email > (select normalized_email from run_recipients where workspace_id = ${ctx.workspaceId} and run_id = ${run.id} and id = ${after}::uuid)`
      const found = await rows<Listed>(
        em,
        sql`select r.*, h.state as hand_off_state, h.reason as hand_off_reason, h.claimed_at
              from run_recipients r left join hand_offs h on h.workspace_id = r.workspace_id and h.id = r.hand_off_id
             where r.workspace_id = ${ctx.workspaceId} and r.run_id = ${run.id} and ${conditions} ${after === null ? sql`` : sql`and ${from}`}
             order by r.normalized_email limit ${limit + 1}`,
      )
      const { page, nextCursor } = pageOf(list, found, limit)
      return { recipients: page.map(recipient), nextCursor }
    },
    { isSnapshot: true, isLong: limit > pageSize.max },
  )
}

/** More than a person wants to see: an export reads by this many. */
const exportedAtOnce = 1_000

const moment = (at: string | Date | null | undefined) =>
  at === null || at === undefined ? undefined : timestampFromDate(new Date(at))

function recipient(row: Listed) {
  const facts: Facts = Object.fromEntries(
    factNames.flatMap((fact) => (row[`${fact}_at`] === null ? [] : [[fact, new Date(row[`${fact}_at`]!)]])),
  )
  const { state, outcome } = standingOf({ state: row.state, handOffState: row.hand_off_state, facts })
  const isReasoned = state === 'skipped' || state === 'failed'
  const bounces = [facts.hard_bounced, facts.provider_suppressed].filter((at) => at !== undefined)
  return {
    id: row.id,
    contactId: row.contact_id,
    audienceId: row.audience_id,
    email: row.normalized_email,
    state,
    outcome,
    reasons: isReasoned ? (row.reasons ?? []) : state === 'unknown' && row.hand_off_reason ? [row.hand_off_reason] : [],
    handedOffAt: outcome === undefined ? undefined : moment(row.claimed_at),
    deliveredAt: moment(facts.delivered),
    softFailedAt: moment(facts.soft_failed),
    bouncedAt: moment(bounces.sort((a, b) => a.getTime() - b.getTime())[0]),
    openedAt: moment(facts.opened),
    clickedAt: moment(facts.clicked),
    complainedAt: moment(facts.complained),
    unsubscribedAt: moment(facts.unsubscribed),
  }
}
