import type { Em } from '@lettergate/database'
import { holdAudiences } from '../audiences/audience.entity.ts'
import { definitionsInForce } from '../custom-fields/field-definition.entity.ts'
import { holdNamedTags } from '../tags/tag.entity.ts'
import type { KnownObjects } from './decide-step.ts'
import type { ContactStep } from './parse-steps.ts'

const distinct = (values: readonly string[]) => [...new Set(values)]

/**
 * What the steps name, held until the transaction ends: nobody deletes these audiences or renames or merges these tags. All
 * writers lock audiences, then tags, then contacts.
 */
export async function holdKnownObjects(
  em: Em,
  workspaceId: string,
  steps: readonly ContactStep[],
): Promise<KnownObjects> {
  const effects = steps.map(({ effect }) => effect)
  const audienceIds = distinct(
    effects.flatMap((one) => (one.type === 'add_audience' || one.type === 'remove_audience' ? [one.audienceId] : [])),
  )
  const tags = distinct(
    effects.flatMap((one) => (one.type === 'add_tag' || one.type === 'remove_tag' ? [one.tag] : [])),
  )
  const keys = distinct(
    effects.flatMap((one) =>
      one.type === 'update_field' && one.field.startsWith('custom.') ? [one.field.slice('custom.'.length)] : [],
    ),
  )
  const audiences = audienceIds.length === 0 ? [] : await holdAudiences(em, workspaceId, audienceIds)
  const definitions = keys.length === 0 ? [] : await definitionsInForce(em, workspaceId, keys)
  return {
    tagIds: await holdNamedTags(em, workspaceId, tags),
    audiences: new Map(audiences.map((one) => [one.id, { isArchived: one.archived_at !== null }])),
    definitions: new Map(definitions.map((one) => [one.fieldKey, one])),
  }
}
