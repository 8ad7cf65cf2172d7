import type { DeleteAudienceRequest, DeleteAudienceResponseSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { column, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { archiveOnce, Audience } from './audience.entity.ts'
import { notFound, pathId } from '../values/ids.ts'

const membersAtOnce = 20_000
/** The time reserved for one step before the caller's deadline. */
const stepMs = 1_000

/**
 * Deletes an audience with its memberships. Its consent record and suppressions stay. A large audience is archived first and
 * deleted in steps: a call that runs out of time answers `unavailable`, and the next call continues. The gateway first checks
 * whether other services use the audience.
 */
export async function deleteAudience(
  ctx: Ctx,
  req: DeleteAudienceRequest,
): Promise<Reply<typeof DeleteAudienceResponseSchema>> {
  const { workspaceId } = ctx
  const audienceId = pathId('audience', req.audienceId)

  await ctx.tx(async (em) => {
    await requireDeletable(em, workspaceId, audienceId)
    await archiveOnce(em, workspaceId, audienceId)
  })
  for (const isActive of [true, false]) {
    while ((await ctx.tx((em) => removeMembers(em, { workspaceId, audienceId, isActive }))) >= membersAtOnce) {
      if (Date.now() + stepMs > ctx.deadline) throw stillDeleting()
    }
  }
  await ctx.tx(async (em) => {
    const { slug } = await requireDeletable(em, workspaceId, audienceId)
    await em.nativeDelete(Audience, { workspaceId, id: audienceId })
    await publish(em, AuditRecordedSchema, {
      action: 'audience_deleted',
      subjectType: 'audience',
      subjectId: audienceId,
      actor: ctx.caller.actor,
      detail: { slug },
    })
  })
  return { deleted: true }
}

const stillDeleting = () =>
  new Fault('unavailable', 'still_deleting', 'The audience is large and still being deleted. Send the request again.')

const selectSource = statement('select-source-of-audience', { slug: column.text() })

/** Locks the audience against new references. Fault `failed_precondition` with the slug of a source that may fill it. */
async function requireDeletable(em: Em, workspaceId: string, audienceId: string): Promise<{ slug: string }> {
  const audience = await kyselyOf(em, Audience)
    .selectFrom('audiences')
    .select('slug')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', audienceId)
    .forUpdate()
    .executeTakeFirst()
  if (!audience) throw notFound('audience')
  const source = await selectSource.row(
    em,
    sql`select slug from subscription_sources
         where workspace_id = ${workspaceId} and status <> 'revoked' and ${audienceId}::uuid = any(allowed_audience_ids)
         order by slug limit 1`,
  )
  if (source) {
    throw new Fault(
      'failed_precondition',
      'audience_in_use',
      `The subscription source ${source.slug} is allowed to fill this audience by name. Revoke that source first.`,
    )
  }
  return audience
}

const deleteMembers = statement('delete-audience-members')

/** Deletes the first members in this state by id: a range of the index memberships_by_state, independent of planner statistics. */
const removeMembers = (
  em: Em,
  { workspaceId, audienceId, isActive }: { workspaceId: string; audienceId: string; isActive: boolean },
): Promise<number> =>
  deleteMembers.execute(
    em,
    sql`delete from memberships where workspace_id = ${workspaceId} and audience_id = ${audienceId} and is_active = ${isActive}
           and contact_id <= coalesce((
             select contact_id from memberships
              where workspace_id = ${workspaceId} and audience_id = ${audienceId} and is_active = ${isActive}
              order by contact_id offset ${membersAtOnce - 1} limit 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff')`,
  )
