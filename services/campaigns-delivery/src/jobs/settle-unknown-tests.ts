import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { row, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { reconcile, recordTestFacts } from '../testing/record-test-facts.ts'
import { callUnknown } from '../testing/settle-test.ts'
import { lookupMinutes } from '../domain/delivery/backoff.ts'
import { findMessages, type FoundMessage } from '../provider/mailgun/mailgun.ts'

interface UnknownTest {
  workspace_id: string
  id: string
  connection_id: string
  domain_name: string
  region: string
  credential_env_key: string
  created_at: string
  lookups: number
}

const atOnce = 20
/** Beyond the 2 s to begin and the provider's time to answer, a caller has this long to write the answer down. */
const graceMs = 5_000

/**
 * Calls of test sends that nobody waits for any more are unknown; the provider is asked about unknown ones 1, 5, 15 and 45
 * minutes after their intent. What it has is accepted; what it does not know stays unknown and is never sent again.
 */
export async function settleUnknownTests(ctx: Ctx, each: OneByOne): Promise<void> {
  await disownCalls(ctx, each)
  await each.forEach(await takeDue(ctx, each.postponed()), async (test) => {
    const own = ctx.inWorkspace(test.workspace_id)
    const found = await ask(own, test)
    if (found !== undefined) await own.tx((em) => conclude(em, test, found))
  })
}

async function disownCalls(ctx: Ctx, each: OneByOne): Promise<void> {
  const staleMs = 2_000 + ctx.config.handOffTimeoutMs + graceMs
  const stale = await ctx.tx((em) =>
    rows<{ workspace_id: string; id: string }>(
      em,
      sql`select workspace_id, id from test_sends
           where hand_off_state = 'claimed' and created_at < now() - ${staleMs} * interval '1 ms' and id <> all(${each.postponed()}::uuid[])`,
    ),
  )
  await each.forEach(stale, async ({ workspace_id: workspaceId, id }) => {
    ctx.log.warn({ workspace_id: workspaceId, test_send_id: id }, 'a test send without a caller is unknown now')
    await ctx.inWorkspace(workspaceId).tx(async (em) => {
      if ((await callUnknown(em, workspaceId, id, 'caller_lost')) > 0) await reconcile(em, workspaceId, id)
    })
  })
}

/** Takes what is due for a minute, so that two workers do not ask the same. */
const takeDue = (ctx: Ctx, postponed: string[]): Promise<UnknownTest[]> =>
  ctx.tx((em) =>
    rows<UnknownTest>(
      em,
      sql`with due as (select workspace_id, id from test_sends where hand_off_state = 'unknown' and next_lookup_at <= now() and id <> all(${postponed}::uuid[]) order by next_lookup_at limit ${atOnce} for update skip locked)
          update test_sends t set next_lookup_at = now() + interval '1 minute' from due where t.workspace_id = due.workspace_id and t.id = due.id
          returning t.workspace_id, t.id, t.connection_id, t.domain_name, t.region, t.credential_env_key, t.created_at, t.lookups`,
    ),
  )

async function ask(ctx: Ctx, test: UnknownTest): Promise<FoundMessage[] | undefined> {
  const apiKey = ctx.config.credential(test.credential_env_key)
  if (apiKey === undefined) return undefined
  const baseUrl = test.region === 'eu' ? ctx.config.providerEuBaseUrl : ctx.config.providerUsBaseUrl
  const access = { apiKey, baseUrl, domain: test.domain_name, connectionId: test.connection_id }
  return findMessages(access, [test.id], new Date(test.created_at))
}

async function conclude(em: Em, test: UnknownTest, found: FoundMessage[]): Promise<void> {
  const { workspace_id: workspaceId, id } = test
  await recordTestFacts(
    em,
    workspaceId,
    found.map(({ messageId, acceptedAt }) => ({
      messageId,
      kind: null,
      fact: 'accepted',
      at: acceptedAt,
      providerEventId: '',
      providerMessageId: `${messageId}@${test.domain_name}`,
    })),
  )
  const lookups = test.lookups + 1
  const nextMinutes = lookupMinutes[lookups] ?? null
  const open = await row(
    em,
    sql`update test_sends set lookups = ${lookups}, next_lookup_at = created_at + ${nextMinutes}::float8 * interval '1 minute'
         where workspace_id = ${workspaceId} and id = ${id} and hand_off_state = 'unknown' returning 1 as open`,
  )
  if (!open || nextMinutes !== null) return
  await publish(em, AlertRaisedSchema, {
    code: 'hand_off_unknown',
    severity: 'warning',
    summary:
      'The provider was asked four times and does not know a test message that may have been handed over. It is never sent again by itself.',
    detail: { test_send_id: id },
  })
}
