import { column, columns, listOf, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { OneByOne } from '@lettergate/service/one-by-one'
import { lookupMinutes } from '../connections/backoff.ts'
import type { Ctx } from '../ctx.ts'
import { HandOff } from '../delivery/hand-off.entity.ts'
import { alertUnknown } from '../delivery/unknown-alert.ts'
import { findMessages, type FoundMessage } from '../provider/mailgun/mailgun.ts'
import { isProven } from '../messages/message-fact.entity.ts'
import { reconcileRehearsals } from '../testing/reconcile-rehearsals.ts'
import { recordFacts } from './record-facts.ts'

const lookedUpColumns = columns(
  HandOff,
  'workspace_id',
  'id',
  'kind',
  'origin_id',
  'connection_id',
  'domain_name',
  'region',
  'credential_env_key',
  'claimed_at',
  'lookups',
)
const takeLookups = statement('take-due-lookups', lookedUpColumns)
type UnknownHandOff = RowOf<typeof lookedUpColumns>

const atOnce = 20

/**
 * Asks the provider for the result of unknown hand-offs 1, 5, 15 and 45 minutes after their intent. Messages that it knows
 * are accepted. The others stay unknown, because missing log entries prove nothing; after the last lookup an alert is
 * raised.
 */
export async function settleUnknown(ctx: Ctx, each: OneByOne): Promise<void> {
  await each.forEach(await takeDue(ctx, each.postponed()), async (handOff) => {
    const own = ctx.inWorkspace(handOff.workspace_id)
    const messageIds = await own.tx((em) => unprovenMessages(em, handOff))
    const found = messageIds.length === 0 ? [] : await ask(own, handOff, messageIds)
    await own.tx((em) => storeLookup(em, handOff, found))
  })
}

/** Reserves the due hand-offs for a minute, so that two workers do not ask for the same ones. */
function takeDue(ctx: Ctx, postponed: string[]): Promise<UnknownHandOff[]> {
  return ctx.tx((em) =>
    takeLookups.rows(
      em,
      sql`with due as (
            select workspace_id, id from hand_offs
             where state = 'unknown' and next_lookup_at <= now() and id <> all(${postponed}::uuid[])
             order by next_lookup_at limit ${atOnce} for update skip locked)
          update hand_offs h set next_lookup_at = now() + interval '1 minute' from due where h.workspace_id = due.workspace_id and h.id = due.id
          returning ${listOf(lookedUpColumns, 'h')}`,
    ),
  )
}

const selectUnproven = statement('select-unproven-messages', { id: column.uuid() })

async function unprovenMessages(em: Em, { workspace_id, id }: UnknownHandOff): Promise<string[]> {
  const found = await selectUnproven.rows(
    em,
    sql`select m.id from hand_offs h cross join lateral unnest(h.message_ids) as m (id)
         where h.workspace_id = ${workspace_id} and h.id = ${id} and not ${isProven(sql`h.origin_id`, sql`m.id`)}`,
  )
  return found.map((message) => message.id)
}

async function ask(ctx: Ctx, handOff: UnknownHandOff, messageIds: string[]): Promise<FoundMessage[] | undefined> {
  const apiKey = ctx.config.credential(handOff.credential_env_key)
  if (apiKey === undefined) return undefined
  const baseUrl = handOff.region === 'eu' ? ctx.config.providerEuBaseUrl : ctx.config.providerUsBaseUrl
  const access = { apiKey, baseUrl, domain: handOff.domain_name, connectionId: handOff.connection_id }
  return findMessages(access, messageIds, new Date(handOff.claimed_at))
}

const countLookup = statement('count-lookup')

async function storeLookup(em: Em, handOff: UnknownHandOff, found: FoundMessage[] | undefined): Promise<void> {
  // The provider was unavailable: the lookup is repeated in a minute and does not count.
  if (found === undefined) return
  const { workspace_id: workspaceId, id, kind, origin_id } = handOff
  await recordFacts(
    em,
    workspaceId,
    found.map(({ messageId, acceptedAt }) => ({
      messageId,
      fact: 'accepted',
      at: acceptedAt,
      providerEventId: '',
      eventId: null,
    })),
  )
  if (kind === 'test_send') await reconcileRehearsals(em, workspaceId, [origin_id])
  if (kind === 'test_send' && found.length > 0)
    await em.nativeUpdate(
      HandOff,
      { workspaceId, id, providerMessageId: null },
      { providerMessageId: `${origin_id}@${handOff.domain_name}` },
    )
  const lookups = handOff.lookups + 1
  const nextMinutes = lookupMinutes[lookups] ?? null
  const changed = await countLookup.execute(
    em,
    sql`update hand_offs set lookups = ${lookups}, next_lookup_at = claimed_at + ${nextMinutes}::float8 * interval '1 minute'
         where workspace_id = ${workspaceId} and id = ${id} and state = 'unknown'`,
  )
  if (changed === 0 || nextMinutes !== null) return
  const left = await unprovenMessages(em, handOff)
  await alertUnknown(em, id, { [`${kind}_id`]: origin_id, messages: left.length })
}
