import type {
  DefineContactFieldRequest,
  DefineContactFieldResponseSchema,
} from '@lettergate/contracts/contacts/v1/field_definitions'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { appendDefinition, definitionsInForce, holdFieldKey } from './field-definition.entity.ts'
import { parseFieldDefinition } from './field-definition.ts'

/**
 * Defines a custom field, or appends the next version of one. A key keeps its type for ever, because values of it may
 * stand on contacts: another type is a Fault `conflict`.
 */
export async function defineContactField(
  ctx: Ctx,
  req: DefineContactFieldRequest,
): Promise<Reply<typeof DefineContactFieldResponseSchema>> {
  const { workspaceId } = ctx
  const wanted = parseFieldDefinition(req)
  const { fieldKey, fieldType } = wanted

  return ctx.tx(async (em) => {
    await holdFieldKey(em, workspaceId, fieldKey)
    const [inForce] = await definitionsInForce(em, workspaceId, [fieldKey])
    if (inForce && inForce.fieldType !== fieldType) {
      throw new Fault(
        'conflict',
        'field_type',
        `${fieldKey} is defined as ${inForce.fieldType} already, and a field keeps its type. Choose another field_key.`,
      )
    }
    const { id, version } = await appendDefinition(em, workspaceId, { ...wanted, createdBy: ctx.caller.actor })
    await publish(em, AuditRecordedSchema, {
      action: 'contact_field_defined',
      subjectType: 'field_definition',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: { field_key: fieldKey, field_type: fieldType, version },
    })
    return { fieldDefinition: { id, fieldKey, fieldType, version } }
  })
}
