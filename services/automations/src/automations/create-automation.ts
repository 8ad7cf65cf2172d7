import type {
  CreateAutomationRequest,
  CreateAutomationResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { parseSlug } from '@lettergate/values/slug'
import { optionalText, requiredText } from '@lettergate/values/text'
import type { Ctx } from '../ctx.ts'
import { automationReply } from './automation-reply.ts'
import { insertVersion } from './automation-version.entity.ts'
import { Automation, requireAutomation, selectAutomations } from './automation.entity.ts'
import { checkReferences, parseDefinition } from './checked-definition.ts'

const nameCharsMax = 160
const slugCharsMax = 160
const automationsMax = 1_000

/**
 * Creates an automation as a draft with its first version. Enrols nobody. Fault `invalid_argument` for a definition with errors,
 * `conflict` for a slug that is in use, also by an archived automation.
 */
export async function createAutomation(
  ctx: Ctx,
  req: CreateAutomationRequest,
): Promise<Reply<typeof CreateAutomationResponseSchema>> {
  const { workspaceId, caller } = ctx
  const made = automationFields(req)
  const changeNotes = optionalText('change_notes', req.changeNotes)
  const parsed = parseDefinition(req.definition)
  await ctx.tx((em) => requireFreeSlug(em, workspaceId, made.slug))
  const checked = await checkReferences(ctx, parsed)
  return ctx.tx(async (em) => {
    const id = newId()
    await requireSpaceForAutomation(em, workspaceId)
    const { numInsertedOrUpdatedRows: created } = await kyselyOf(em, Automation)
      .insertInto('automations')
      .values({ workspace_id: workspaceId, id, ...made, current_version: 1 })
      .onConflict((conflict) => conflict.constraint('automations_slug').doNothing())
      .executeTakeFirstOrThrow()
    if (!created) throw slugTaken()
    await insertVersion(em, { workspaceId, automationId: id, version: 1 }, { checked, changeNotes, by: caller.actor })
    await publish(em, AuditRecordedSchema, {
      action: 'automation_created',
      subjectType: 'automation',
      subjectId: id,
      actor: caller.actor,
      detail: { slug: made.slug, definition_checksum: checked.checksum },
    })
    return { automation: await automationReply(em, await requireAutomation(em, workspaceId, { id })) }
  })
}

/** Checks the fields of a new automation. Throws Fault `invalid_argument` that names the field. */
export const automationFields = (req: { name: string; slug: string; description?: string | undefined }) => ({
  name: requiredText('name', req.name, nameCharsMax),
  slug: parseSlug('slug', req.slug, slugCharsMax),
  description: optionalText('description', req.description),
})

/** Before the references are looked up, because a conflict is answered before what they lack. */
async function requireFreeSlug(em: Em, workspaceId: string, slug: string): Promise<void> {
  if (await selectAutomations(em, workspaceId).where('slug', '=', slug).executeTakeFirst()) throw slugTaken()
}

const slugTaken = () =>
  new Fault('conflict', 'slug', 'An automation with this slug exists already, perhaps archived. Choose another slug.')

/** Two requests at the same moment may exceed the limit by one, which harms nobody. */
export async function requireSpaceForAutomation(em: Em, workspaceId: string): Promise<void> {
  const { count } = await kyselyOf(em, Automation)
    .selectFrom('automations')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(count) < automationsMax) return
  throw new Fault(
    'failed_precondition',
    'automations_limit',
    `This workspace has ${automationsMax} automations, archived ones included, and cannot have more. Append versions to those.`,
  )
}
