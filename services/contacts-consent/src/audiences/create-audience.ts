import type { CreateAudienceRequest, CreateAudienceResponseSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { Audience } from './audience.entity.ts'
import { mapLimitViolation } from '../workspaces/limit-violation.ts'
import { requiredText } from '@lettergate/values/text'
import { charsMax } from '../values/chars-max.ts'
import { requiredSlug } from '../values/slug.ts'

/** Creates an audience. Fault `conflict` if the slug is in use, also by an archived audience. Fault `failed_precondition` above the limit. */
export async function createAudience(
  ctx: Ctx,
  req: CreateAudienceRequest,
): Promise<Reply<typeof CreateAudienceResponseSchema>> {
  const name = requiredText('name', req.name, charsMax.name)
  const slug = requiredSlug(req.slug)
  const purpose = requiredText('purpose', req.purpose)
  if (req.minimumIntervalSeconds < 0) {
    throw new Fault('invalid_argument', 'minimum_interval_seconds', 'minimum_interval_seconds must not be negative.')
  }
  const id = newId()
  await ctx.tx(async (em) => {
    const { numInsertedOrUpdatedRows: created } = await kyselyOf(em, Audience)
      .insertInto('audiences')
      .values({
        workspace_id: ctx.workspaceId,
        id,
        name,
        slug,
        purpose,
        minimum_interval_seconds: req.minimumIntervalSeconds,
      })
      .onConflict((conflict) => conflict.constraint('audiences_slug').doNothing())
      .executeTakeFirst()
      .catch(mapLimitViolation('audiences'))
    if (!created) {
      throw new Fault(
        'conflict',
        'slug',
        'An audience with this slug exists already, perhaps archived. Choose another slug.',
      )
    }
    await publish(em, AuditRecordedSchema, {
      action: 'audience_created',
      subjectType: 'audience',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: { slug },
    })
  })
  return { audience: { id, slug } }
}
