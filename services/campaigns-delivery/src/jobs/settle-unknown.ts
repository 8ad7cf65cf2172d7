import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { row, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { hasFact } from '../db/run-recipients.ts'
import { recordFacts } from '../delivery/record-facts.ts'
import { lookupMinutes } from '../domain/delivery/backoff.ts'
import { findMessages, type FoundMessage } from '../provider/mailgun/mailgun.ts'

interface UnknownHandOff {
  workspace_id: string
  id: string
  run_id: string
  batch: number
  connection_id: string
  domain_name: string
  region: string
  credential_env_key: string
  claimed_at: string
  lookups: number
}

const atOnce = 20

/**
 * Asks the provider about hand-offs that nobody knows the end of, 1, 5, 15 and 45 minutes after their intent. What it has is
 * accepted. What it does not know stays unknown, since logs come late and absence proves nothing; a person is told then.
 */
export async function settleUnknown(ctx: Ctx, each: OneByOne): Promise<void> {
  await each.forEach(await takeDue(ctx, each.postponed()), async (handOff) => {
    const own = ctx.inWorkspace(handOff.workspace_id)
    const messageIds = await own.tx((em) => unprovenMessages(em, handOff))
    const found = messageIds.length === 0 ? [] : await ask(own, handOff, messageIds)
    await own.tx((em) => conclude(em, handOff, found))
  })
}

/** Takes what is due for a minute, so that two workers do not ask the same. */
function takeDue(ctx: Ctx, postponed: string[]): Promise<UnknownHandOff[]> {
  return ctx.tx((em) =>
    rows<UnknownHandOff>(
      em,
      sql`with due as (
            select workspace_id, id from hand_offs
             where state = 'unknown' and next_lookup_at <= now() and id <> all(${postponed}::uuid[])
             order by next_lookup_at limit ${atOnce} for update skip locked)
          update hand_offs h set next_lookup_at = now() + interval '1 minute' from due where h.workspace_id = due.workspace_id and h.id = due.id
          returning h.workspace_id, h.id, h.run_id, h.batch, h.connection_id, h.domain_name, h.region, h.credential_env_key, h.claimed_at, h.lookups`,
    ),
  )
}

async function unprovenMessages(em: Em, handOff: UnknownHandOff): Promise<string[]> {
  const found = await rows<{ id: string }>(
    em,
    sql`select r.id from run_recipients r where r.workspace_id = ${handOff.workspace_id} and r.run_id = ${handOff.run_id} and r.batch = ${handOff.batch}
           and r.hand_off_id = ${handOff.id} and r.state = 'claimed' and not (${hasFact})`,
  )
  return found.map(({ id }) => id)
}

async function ask(ctx: Ctx, handOff: UnknownHandOff, messageIds: string[]): Promise<FoundMessage[] | undefined> {
  const apiKey = ctx.config.credential(handOff.credential_env_key)
  if (apiKey === undefined) return undefined
  const baseUrl = handOff.region === 'eu' ? ctx.config.providerEuBaseUrl : ctx.config.providerUsBaseUrl
  const access = { apiKey, baseUrl, domain: handOff.domain_name, connectionId: handOff.connection_id }
  return findMessages(access, messageIds, new Date(handOff.claimed_at))
}

async function conclude(em: Em, handOff: UnknownHandOff, found: FoundMessage[] | undefined): Promise<void> {
  // The provider could not say: asked again in a minute, and it does not count.
  if (found === undefined) return
  const { workspace_id: workspaceId, id } = handOff
  await recordFacts(
    em,
    workspaceId,
    found.map(({ messageId, acceptedAt }) => ({ messageId, fact: 'accepted', at: acceptedAt, providerEventId: '' })),
  )
  const lookups = handOff.lookups + 1
  const nextMinutes = lookupMinutes[lookups] ?? null
  const open = await row(
    em,
    sql`update hand_offs set lookups = ${lookups}, next_lookup_at = claimed_at + ${nextMinutes}::float8 * interval '1 minute'
         where workspace_id = ${workspaceId} and id = ${id} and state = 'unknown' returning 1 as open`,
  )
  if (!open || nextMinutes !== null) return
  const left = await unprovenMessages(em, handOff)
  await publish(em, AlertRaisedSchema, {
    code: 'hand_off_unknown',
    severity: 'warning',
    summary:
      'The provider was asked four times and does not know some messages that may have been handed over. They are never sent again by themselves.',
    detail: { run_id: handOff.run_id, hand_off_id: id, messages: left.length },
  })
}
