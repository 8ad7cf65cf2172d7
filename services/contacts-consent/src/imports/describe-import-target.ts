import type {
  DescribeImportTargetRequest,
  DescribeImportTargetResponseSchema,
} from '@lettergate/contracts/contacts/v1/imports'
import type { Reply } from '@lettergate/rpc'
import { findAudience } from '../audiences/audience.entity.ts'
import type { Ctx } from '../ctx.ts'
import { definitionsInForce } from '../custom-fields/field-definition.entity.ts'
import { parseUuid } from '@lettergate/values/uuid'

/** The state of the audience, and the types of the given custom fields that are defined. */
export async function describeImportTarget(
  ctx: Ctx,
  req: DescribeImportTargetRequest,
): Promise<Reply<typeof DescribeImportTargetResponseSchema>> {
  const { workspaceId } = ctx
  const audienceId = parseUuid(req.audienceId)
  return ctx.tx(async (em) => {
    const audience = audienceId === undefined ? undefined : await findAudience(em, workspaceId, audienceId)
    const fields = await definitionsInForce(em, workspaceId, req.fieldKeys)
    return {
      audienceState: audience === undefined ? 'missing' : audience.archived_at === null ? 'live' : 'archived',
      fields: fields.map(({ fieldKey, fieldType }) => ({ fieldKey, fieldType })),
    }
  })
}
