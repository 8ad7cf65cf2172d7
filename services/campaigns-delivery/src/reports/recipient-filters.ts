import { sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { hasFact, isSent } from '../db/run-recipients.ts'
import type { Outcome } from '../domain/delivery/outcome.ts'
import { outcomes, recipientStates, type RecipientState } from '../domain/delivery/recipient-state.ts'

const isBounced = sql`(r.hard_bounced_at is not null or r.provider_suppressed_at is not null)`
const isAlive = sql`(r.hard_bounced_at is null and r.provider_suppressed_at is null)`

// Each says what domain/delivery/recipient-state.ts says, in words that the partial indexes know.
const ofOutcome = {
  hard_bounced: sql`r.state = 'claimed' and ${isBounced}`,
  delivered: sql`r.state = 'claimed' and r.delivered_at is not null and ${isAlive}`,
  soft_failed_only: sql`r.state = 'claimed' and r.soft_failed_at is not null and r.delivered_at is null and ${isAlive}`,
  no_terminal_event: sql`${isSent} and r.soft_failed_at is null and r.delivered_at is null and ${isAlive}`,
} satisfies Record<Outcome, unknown>

const ofState = {
  pending: sql`r.state = 'pending'`,
  claimed: sql`r.state = 'claimed' and h.state not in ('accepted', 'unknown') and not (${hasFact})`,
  accepted: ofOutcome.no_terminal_event,
  delivered: ofOutcome.delivered,
  soft_failed: ofOutcome.soft_failed_only,
  hard_bounced: ofOutcome.hard_bounced,
  skipped: sql`r.state = 'skipped'`,
  failed: sql`r.state = 'failed'`,
  unknown: sql`r.state = 'claimed' and h.state = 'unknown' and not (${hasFact})`,
} satisfies Record<RecipientState, unknown>

export interface RecipientFilters {
  state?: string | undefined
  outcome?: string | undefined
  reason?: string | undefined
  search?: string | undefined
}

function chosen<T extends string>(field: string, given: string, known: readonly T[]): T {
  const found = known.find((one) => one === given)
  if (found !== undefined) return found
  throw new Fault('invalid_argument', field, `${field} must be one of ${known.join(', ')}.`)
}

/** The conditions on recipients `r` and their hand-offs `h` that all hold. Fault `invalid_argument` names the filter that is none. */
export function recipientConditions({ state, outcome, reason, search }: RecipientFilters) {
  const conditions = [sql`true`]
  if (state !== undefined) conditions.push(ofState[chosen('state', state, recipientStates)])
  if (outcome !== undefined) conditions.push(ofOutcome[chosen('outcome', outcome, outcomes)])
  // Reasons are written by skipping and failing; that of a call without an answer is the call's.
  if (reason !== undefined)
    conditions.push(
      sql`(r.state in ('skipped', 'failed') and r.reasons @> array[${reason}]::text[] or ${ofState.unknown} and h.reason = ${reason})`,
    )
  if (search !== undefined) conditions.push(beginsWith(search.trim().toLowerCase()))
  return sql.join(conditions, sql` and `)
}

/** Addresses are kept in byte order: what begins with a text lies between it and the text with its last character raised. */
const beginsWith = (text: string) =>
  sql`(r.normalized_email >= ${text} and starts_with(r.normalized_email, ${text}) and r.normalized_email < ${`${text}\u{10ffff}`})`
