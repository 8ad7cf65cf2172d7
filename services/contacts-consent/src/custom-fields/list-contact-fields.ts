import type {
  ListContactFieldsRequest,
  ListContactFieldsResponseSchema,
} from '@lettergate/contracts/contacts/v1/field_definitions'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { listDefinitions } from './field-definition.entity.ts'

/** The version in force of every field of this workspace, by key. */
export async function listContactFields(
  ctx: Ctx,
  _req: ListContactFieldsRequest,
): Promise<Reply<typeof ListContactFieldsResponseSchema>> {
  const fields = await ctx.tx((em) => listDefinitions(em, ctx.workspaceId))
  return { fieldDefinitions: fields.map((field) => ({ ...field, options: [...field.options] })) }
}
