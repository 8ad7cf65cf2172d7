import { sha256Of } from '@lettergate/canonical-json'
import type {
  ReconstructAutomationRequest,
  ReconstructAutomationResponseSchema,
} from '@lettergate/contracts/automations/v1/reconstruction'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { column, kyselyOf, newId, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { parseSourceProvenance, type SourceProvenance } from '@lettergate/values/source-provenance'
import { containsNul, optionalText } from '@lettergate/values/text'
import { insertVersion } from '../automations/automation-version.entity.ts'
import {
  Automation,
  changeAutomation,
  requireAutomation,
  selectAutomations,
  type AutomationRow,
} from '../automations/automation.entity.ts'
import { checkReferences, parseDefinition, type CheckedDefinition } from '../automations/checked-definition.ts'
import { automationFields, requireSpaceForAutomation } from '../automations/create-automation.ts'
import { requireSpaceForVersion } from '../automations/create-automation-version.ts'
import type { Ctx } from '../ctx.ts'
import type { JsonObject } from '../definition/definition.ts'
import { requireAllowed } from './require-allowed.ts'

const selectLatest = statement('select-latest-reconstructed-automation-version', {
  id: column.uuid(),
  version: column.integer(),
  definition_checksum: column.text(),
  validation: column.json<JsonObject>(),
})

/**
 * Stores a workflow of another system as a draft automation. Its version carries the provenance and the review. A repeat
 * changes nothing. A changed source appends a version, but only to a draft that no person changed, because a new version
 * takes a published automation out of use. Fault `failed_precondition` in an environment that could send, and after 500 versions.
 */
export async function reconstructAutomation(
  ctx: Ctx,
  req: ReconstructAutomationRequest,
): Promise<Reply<typeof ReconstructAutomationResponseSchema>> {
  await requireAllowed(ctx)
  const { workspaceId, caller } = ctx
  const provenance = parseSourceProvenance(req.sourceProvenance, 'campaign')
  const review = parseReview(req.reconstructionReview)
  const fields = automationFields(req)
  const changeNotes = optionalText('change_notes', req.changeNotes)
  const plain = await checkReferences(ctx, parseDefinition(req.definition))
  const validation = { ...plain.validation, reconstruction_review: review, source_provenance: provenance }
  const checked: CheckedDefinition = { ...plain, validation }
  const warnings = plain.validation['warnings'] as string[]

  return ctx.tx(async (em) => {
    const { automation, isNew } = await lockOrInsert(em, workspaceId, fields)
    const of = { workspaceId, automationId: automation.id }
    if (!isNew) {
      const latest = await latestOf(em, of, provenance)
      if (!latest) throw slugTaken(fields.slug)
      if (sourceKey(latest.definition_checksum, latest.validation) === sourceKey(checked.checksum, validation))
        return {
          automationId: automation.id,
          versionId: latest.id,
          version: latest.version,
          outcome: 'unchanged',
          warnings,
        }
      requireUntouched(automation, latest.version)
    }
    const version = isNew ? 1 : automation.current_version + 1
    requireSpaceForVersion(version)
    if (!isNew) await changeAutomation(em, automation, { current_version: version })
    await insertVersion(em, { ...of, version }, { checked, changeNotes, by: caller.actor })
    await publish(em, AuditRecordedSchema, {
      action: 'automation_reconstructed',
      subjectType: 'automation',
      subjectId: automation.id,
      actor: caller.actor,
      detail: { slug: fields.slug, version, source_id: provenance.source_id, definition_checksum: checked.checksum },
    })
    const stored = await latestOf(em, of, provenance)
    return {
      automationId: automation.id,
      versionId: stored!.id,
      version,
      outcome: isNew ? 'created' : 'appended',
      warnings,
    }
  })
}

/** The automation with this slug, locked until the commit. */
async function lockOrInsert(
  em: Em,
  workspaceId: string,
  fields: ReturnType<typeof automationFields>,
): Promise<{ automation: AutomationRow; isNew: boolean }> {
  const [known] = await selectAutomations(em, workspaceId).where('slug', '=', fields.slug).forUpdate().execute()
  if (known) return { automation: known, isNew: false }
  await requireSpaceForAutomation(em, workspaceId)
  const id = newId()
  const { numInsertedOrUpdatedRows: created } = await kyselyOf(em, Automation)
    .insertInto('automations')
    .values({ workspace_id: workspaceId, id, ...fields, current_version: 1 })
    .onConflict((conflict) => conflict.constraint('automations_slug').doNothing())
    .executeTakeFirstOrThrow()
  // another program created it in the meantime
  if (!created) return lockOrInsert(em, workspaceId, fields)
  return { automation: await requireAutomation(em, workspaceId, { id }), isNew: true }
}

/** The latest version that came from the same object of the same system. */
const latestOf = (em: Em, of: { workspaceId: string; automationId: string }, provenance: SourceProvenance) =>
  selectLatest.row(
    em,
    sql`select id, version, definition_checksum, validation from automation_versions
         where workspace_id = ${of.workspaceId} and automation_id = ${of.automationId}
           and validation->'source_provenance'->>'source_system' = ${provenance.source_system}
           and validation->'source_provenance'->>'source_id' = ${provenance.source_id}
         order by version desc limit 1`,
  )

/** What a version was made from, and what became of it. A new manifest around the same file is the same source. */
function sourceKey(
  definitionChecksum: string,
  { source_provenance, reconstruction_review: review }: JsonObject,
): string {
  const { source_checksum: source, transformation } = source_provenance as Partial<SourceProvenance>
  return sha256Of([definitionChecksum, source ?? null, transformation ?? null, review ?? null])
}

function requireUntouched({ slug, status, current_version: current }: AutomationRow, reconstructed: number): void {
  if (status === 'draft' && current === reconstructed) return
  throw new Fault(
    'conflict',
    'changed_since_reconstruction',
    `The automation ${slug} is ${status} with version ${current}, and version ${reconstructed} was reconstructed. People continue with it, so the changed source is not applied. Change the automation by hand, or give the workflow another slug in the manifest.`,
  )
}

const slugTaken = (slug: string) =>
  new Fault(
    'conflict',
    'slug',
    `The automation ${slug} exists already and does not come from this source. Give the workflow another slug in the manifest.`,
  )

const reviewCharsMax = 262_144

/** The review as the program wrote it. Throws Fault `invalid_argument` unless it has its three lists. */
function parseReview(given: JsonObject | undefined): JsonObject {
  const lists = ['mapped', 'not_mapped', 'must_review']
  if (!given || !lists.every((name) => Array.isArray(given[name])) || Object.keys(given).length !== lists.length)
    throw new Fault(
      'invalid_argument',
      'reconstruction_review',
      `reconstruction_review must have exactly the lists ${lists.join(', ')}.`,
    )
  if (containsNul(given))
    throw new Fault(
      'invalid_argument',
      'reconstruction_review',
      'reconstruction_review contains a NUL character. Remove it.',
    )
  if (JSON.stringify(given).length > reviewCharsMax)
    throw new Fault(
      'invalid_argument',
      'reconstruction_review',
      `reconstruction_review is longer than ${reviewCharsMax} characters. Split the workflow.`,
    )
  return given
}
