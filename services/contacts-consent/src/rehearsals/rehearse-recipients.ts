import { create } from '@bufbuild/protobuf'
import {
  AudienceVerdictsSchema,
  PrepareRecipientsRequestSchema,
  StreamAudienceVerdictsRequestSchema,
  type AudienceVerdicts,
  type PrepareRecipientsResponseSchema,
  type RehearseRecipientsRequest,
  type RehearseRecipientsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { CreateAudienceRequestSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { column, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { openRegistry } from '@lettergate/service/registry'
import { createAudience } from '../audiences/create-audience.ts'
import { Membership } from '../audiences/membership.entity.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import type { Ctx } from '../ctx.ts'
import { streamAudienceVerdicts } from '../eligibility/stream-audience-verdicts.ts'
import { applyImportRows } from '../imports/apply-import-rows.ts'
import { contactsMetrics } from '../metrics.ts'
import { prepareRecipients } from '../recipients/prepare-recipients.ts'
import { suppressContacts } from '../suppressions/suppress-contacts.ts'
import { bodyId } from '../values/ids.ts'
import { Workspace } from '../workspaces/workspace.entity.ts'
import { excludedOneIn, syntheticImport } from './synthetic-recipients.ts'

const recipientsMax = 10_000

interface Rehearsed {
  verdicts: AudienceVerdicts[]
  prepared: Reply<typeof PrepareRecipientsResponseSchema>[]
  stages: { name: string; recipients: number; milliseconds: number }[]
}

/**
 * Writes synthetic contacts with their consent, judges their audience as for a snapshot and each batch as before a hand-off, in
 * one transaction that is rolled back. The answer is sent after the rollback. The rows stand under the id of the rehearsal as
 * their workspace, so that no row of a real workspace is read, locked or counted.
 */
export async function* rehearseRecipients(
  ctx: Ctx,
  req: RehearseRecipientsRequest,
): AsyncGenerator<Reply<typeof RehearseRecipientsResponseSchema>> {
  const rehearsalId = bodyId('rehearsal_id', req.rehearsalId)
  if (req.recipientCount < 1 || req.recipientCount > recipientsMax || req.batchSize < 1)
    throw new Fault('invalid_argument', 'recipient_count', `recipient_count must be 1 to ${recipientsMax}.`)
  const { verdicts, prepared, stages } = await ctx.rolledBack(rehearsalId, (inside) =>
    rehearse(Object.assign(inside, { metrics: contactsMetrics({ metrics: openRegistry() }) }), req),
  )
  for (const value of verdicts) yield { part: { case: 'verdicts', value } }
  for (const value of prepared) yield { part: { case: 'prepared', value } }
  yield { part: { case: 'stages', value: { stages } } }
}

async function rehearse(
  ctx: Ctx,
  { recipientCount, batchSize, tokens }: RehearseRecipientsRequest,
): Promise<Rehearsed> {
  const stages: Rehearsed['stages'] = []
  const timed = async <T>(name: string, recipients: number, work: () => Promise<T>): Promise<T> => {
    ctx.signal.throwIfAborted()
    const began = performance.now()
    const result = await work()
    stages.push({ name, recipients, milliseconds: performance.now() - began })
    return result
  }
  const audienceId = await makeAudience(ctx)
  await timed('contacts', recipientCount, async () => {
    for (const call of syntheticImport(ctx.workspaceId, audienceId, recipientCount)) await applyImportRows(ctx, call)
  })
  // The time is that of an audience without suppressions. Without statistics the planner reads all of them for each member.
  await timed('eligibility', recipientCount, () => judge(ctx, audienceId))
  await suppressSome(ctx, audienceId, Math.floor(recipientCount / excludedOneIn))
  const verdicts = await judge(ctx, audienceId)
  const contactIds = verdicts.flatMap(({ eligible }) => eligible.flatMap((one) => one.contactIds.split('\n')))
  const prepared = await timed('delivery_check', contactIds.length, async () => {
    const answers: Rehearsed['prepared'] = []
    for (let start = 0; start < contactIds.length; start += batchSize) {
      ctx.signal.throwIfAborted()
      const recipients = contactIds.slice(start, start + batchSize).map((contactId) => ({ contactId, audienceId }))
      answers.push(await prepareRecipients(ctx, create(PrepareRecipientsRequestSchema, { recipients, tokens })))
    }
    return answers
  })
  return { verdicts, prepared, stages }
}

async function makeAudience(ctx: Ctx): Promise<string> {
  const { workspaceId } = ctx
  await ctx.tx((em) =>
    kyselyOf(em, Workspace)
      .insertInto('workspaces')
      .values({
        workspace_id: workspaceId,
        organization: 'synthetic',
        slug: 'synthetic',
        name: 'Synthetic rehearsal',
        is_archived: false,
        changed_at: ctx.now(),
      })
      .execute(),
  )
  const name = 'Synthetic rehearsal'
  const { audience } = await createAudience(
    ctx,
    create(CreateAudienceRequestSchema, { name, slug: 'synthetic', purpose: name, minimumIntervalSeconds: 0 }),
  )
  return audience!.id!
}

/** Suppresses the first contacts, half of them in the workspace and half in the audience. They stay members. */
async function suppressSome(ctx: Ctx, audienceId: string, count: number): Promise<void> {
  const { workspaceId, caller } = ctx
  await ctx.tx(async (em) => {
    const members = await kyselyOf(em, Membership)
      .selectFrom('memberships')
      .select('contact_id')
      .where('workspace_id', '=', workspaceId)
      .where('audience_id', '=', audienceId)
      .orderBy('contact_id')
      .limit(count)
      .execute()
    const ids = members.map((member) => member.contact_id)
    await lockContacts(em, workspaceId, ids)
    await suppressContacts(
      em,
      { workspaceId, by: caller, now: ctx.now() },
      ids.map((contactId, at) => ({
        contactId,
        ...(at % 2 === 0 ? { scope: 'workspace', audienceId: null } : { scope: 'audience', audienceId }),
        reason: 'manual' as const,
        source: 'synthetic_rehearsal',
      })),
    )
  })
}

const closeCursor = statement('close-rehearsed-verdicts')
const setLoops = statement('plan-rehearsed-verdicts', { enable_nestloop: column.text() })

/**
 * The statistics of the database have no row of an open transaction. The planner takes the audience for an empty one, and would
 * read all its contacts for each member. A real audience is joined by a hash.
 */
const planLoops = (em: Em, enabled: 'on' | 'off') =>
  setLoops.row(em, sql`select set_config('enable_nestloop', ${enabled}, true) as enable_nestloop`)

async function judge(ctx: Ctx, audienceId: string): Promise<AudienceVerdicts[]> {
  const parts: AudienceVerdicts[] = []
  const question = create(StreamAudienceVerdictsRequestSchema, { audienceIds: [audienceId], eligibleInLines: true })
  await ctx.tx((em) => planLoops(em, 'off'))
  for await (const part of streamAudienceVerdicts(ctx, question)) parts.push(create(AudienceVerdictsSchema, part))
  await ctx.tx(async (em) => {
    await planLoops(em, 'on')
    // It would end with the transaction, and the audience is judged twice.
    await closeCursor.execute(em, sql`close member_verdicts`)
  })
  return parts
}
