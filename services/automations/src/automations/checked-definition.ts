import { sha256Of } from '@lettergate/canonical-json'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { checkStructure } from '../definition/check-structure.ts'
import type { Definition, JsonObject } from '../definition/definition.ts'
import { tooLarge, tooManyComparisons } from '../definition/limits.ts'
import { mailLoops } from '../definition/mail-loops.ts'
import { previewSteps } from '../definition/preview.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { tooManyReferences } from '../definition/references.ts'
import { describeReferences, firstSentences, unfitReferences, type Described } from './describe-references.ts'

/** A definition without errors, and what its version stores. */
export interface CheckedDefinition {
  readonly definition: JsonObject
  readonly triggerType: string
  /** SHA-256 over the RFC 8785 text of the definition */
  readonly checksum: string
  readonly validation: JsonObject
  readonly preview: JsonObject
}

/** A definition without errors in itself. What it refers to may be missing. */
export interface ParsedDefinition {
  readonly given: JsonObject
  readonly definition: Definition
  readonly warnings: readonly string[]
}

/**
 * Checks the size, the fields and the graph of a definition. The limits of size are only checked here, so versions that were stored
 * before remain readable. Throws Fault `invalid_argument` that names each problem.
 */
export function parseDefinition(given: JsonObject | undefined): ParsedDefinition {
  const large = tooLarge(given ?? {})
  if (large.length > 0) throw definitionFault(large)
  const { definition, problems } = readDefinition(given ?? {})
  if (!definition) throw definitionFault(problems)
  const structure = checkStructure(definition)
  const errors = [...structure.errors, ...tooManyReferences(definition), ...tooManyComparisons(definition)]
  if (errors.length > 0) throw definitionFault(errors)
  return { given: given ?? {}, definition, warnings: [...structure.warnings, ...mailLoops(definition)] }
}

/**
 * Checks the references of a definition. Throws Fault `invalid_argument` that names each problem. Calls contacts-consent and
 * campaigns-delivery, so it runs outside transactions.
 */
export async function checkReferences(
  ctx: Ctx,
  { given, definition, warnings }: ParsedDefinition,
): Promise<CheckedDefinition> {
  const described = await describeReferences(ctx, definition)
  const unfit = unfitReferences(definition, described)
  if (unfit.length > 0) throw definitionFault(unfit)
  return {
    definition: given,
    triggerType: definition.trigger.type,
    checksum: sha256Of(given),
    validation: {
      valid: true,
      structural_errors: [],
      dependencies: described.dependencies,
      dependency_counts: described.counts,
      warnings: [...warnings, ...described.warnings],
      authoring_only: true,
      execution_available: false,
    },
    preview: {
      steps: previewSteps(definition).map((step) => ({ ...step })),
      estimate: estimateOf(definition, described),
    },
  }
}

/** The contacts that the trigger is about today, when the version is made. Only later sign-ups and tags enrol. */
function estimateOf({ trigger }: Definition, { members, tagged }: Described): JsonObject | null {
  if (trigger.type === 'audience_subscribed')
    return { contacts: members.get(trigger.audienceId) ?? 0, basis: 'active members of the audience' }
  if (trigger.type === 'tag_added') return { contacts: tagged.get(trigger.tag) ?? 0, basis: 'contacts with the tag' }
  if (trigger.type === 'tag_removed') return { contacts: tagged.get(trigger.tag) ?? 0, basis: 'contacts with the tag' }
  return null
}

const definitionFault = (problems: readonly string[]) =>
  new Fault('invalid_argument', 'definition', firstSentences(problems).join('\n'))
