import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'
import type { StepOutcome } from '../contacts/automation-step-receipt.entity.ts'
import { textFields, type ContactTextField } from '../contacts/contact-write.ts'
import { customFieldsCharsMax } from '../contacts/write-contacts.ts'
import { isFieldValue, type DefinedField } from '../custom-fields/custom-fields.ts'
import { tagsMax } from '../tags/tag-names.ts'

/** What a step of an automation does to a contact. */
export type StepEffect =
  | { readonly type: 'add_tag' | 'remove_tag'; readonly tag: string }
  | {
      readonly type: 'add_audience'
      readonly audienceId: string
      readonly wordingVersion: string
      readonly source: string
    }
  | { readonly type: 'remove_audience'; readonly audienceId: string }
  | { readonly type: 'update_field'; readonly field: string; readonly value: JsonValue }
  | { readonly type: 'adjust_score'; readonly amount: number }

/** How a contact stands with one audience. */
export interface AutomationStanding {
  readonly isActive: boolean
  readonly isGranted: boolean
  /** the person left the audience or the workspace, and has not consented again since */
  readonly isWithdrawn: boolean
  readonly isUnderReview: boolean
  readonly isPlatformSuppressed: boolean
  readonly isWorkspaceSuppressed: boolean
  readonly isAudienceSuppressed: boolean
}

/** What the steps can change, and what decides about them. Only the parts that the steps of a call need are read. */
export interface ContactState {
  /** in the order of the contact */
  readonly tagIds: readonly string[]
  readonly standings: ReadonlyMap<string, AutomationStanding>
  readonly texts: Readonly<Partial<Record<ContactTextField, string | null>>>
  readonly customFields: JsonObject
  readonly score: number
}

/** What the workspace has of what the steps name. */
export interface KnownObjects {
  /** name or id in the step → id of the tag */
  readonly tagIds: ReadonlyMap<string, string>
  readonly audiences: ReadonlyMap<string, { readonly isArchived: boolean }>
  /** the versions in force, by key */
  readonly definitions: ReadonlyMap<string, DefinedField>
}

/** The result of a step, and the contact after it. */
export interface DecidedStep {
  readonly outcome: StepOutcome
  readonly reasons: readonly string[]
  readonly contact: ContactState
}

const scoreMax = 1_000_000_000

/** A value that a field cannot have. */
const isInvalid = Symbol('invalid')

/** Decides one step. A refused step changes nothing. Consent follows the rules of a subscribe, and overrides no withdrawal or review either. */
export function decideStep(contact: ContactState, effect: StepEffect, known: KnownObjects): DecidedStep {
  switch (effect.type) {
    case 'add_tag':
      return addTag(contact, known.tagIds.get(effect.tag))
    case 'remove_tag':
      return removeTag(contact, known.tagIds.get(effect.tag))
    case 'add_audience':
      return addAudience(contact, effect.audienceId, known.audiences.get(effect.audienceId))
    case 'remove_audience':
      return removeAudience(contact, effect.audienceId)
    case 'update_field':
      return updateField(contact, effect, known.definitions)
    case 'adjust_score':
      return adjustScore(contact, effect.amount)
  }
}

const applied = (contact: ContactState, changes: Partial<ContactState>): DecidedStep => ({
  outcome: 'applied',
  reasons: [],
  contact: { ...contact, ...changes },
})
const unchanged = (contact: ContactState): DecidedStep => ({ outcome: 'unchanged', reasons: [], contact })
const refused = (contact: ContactState, ...reasons: string[]): DecidedStep => ({ outcome: 'refused', reasons, contact })

function addTag(contact: ContactState, tagId: string | undefined): DecidedStep {
  if (tagId === undefined) return refused(contact, 'tag_missing')
  if (contact.tagIds.includes(tagId)) return unchanged(contact)
  if (contact.tagIds.length >= tagsMax) return refused(contact, 'too_many_tags')
  return applied(contact, { tagIds: [...contact.tagIds, tagId] })
}

/** No contact has a tag that is not in the catalogue. */
function removeTag(contact: ContactState, tagId: string | undefined): DecidedStep {
  if (tagId === undefined || !contact.tagIds.includes(tagId)) return unchanged(contact)
  return applied(contact, { tagIds: contact.tagIds.filter((id) => id !== tagId) })
}

const withStanding = (contact: ContactState, audienceId: string, standing: AutomationStanding) =>
  applied(contact, { standings: new Map(contact.standings).set(audienceId, standing) })

function addAudience(
  contact: ContactState,
  audienceId: string,
  audience: { readonly isArchived: boolean } | undefined,
): DecidedStep {
  const standing = contact.standings.get(audienceId)
  if (!audience || !standing) return refused(contact, 'audience_missing')
  const against = {
    audience_archived: audience.isArchived,
    suppressed_platform: standing.isPlatformSuppressed,
    suppressed_workspace: standing.isWorkspaceSuppressed,
    suppressed_audience: standing.isAudienceSuppressed,
    consent_withdrawn: standing.isWithdrawn,
    consent_under_review: standing.isUnderReview,
  }
  const reasons = Object.entries(against).flatMap(([reason, holds]) => (holds ? [reason] : []))
  if (reasons.length > 0) return refused(contact, ...reasons)
  if (standing.isActive && standing.isGranted) return unchanged(contact)
  return withStanding(contact, audienceId, { ...standing, isActive: true, isGranted: true })
}

/** The memberships of a deleted audience are deleted with it. */
function removeAudience(contact: ContactState, audienceId: string): DecidedStep {
  const standing = contact.standings.get(audienceId)
  if (!standing?.isActive) return unchanged(contact)
  return withStanding(contact, audienceId, { ...standing, isActive: false })
}

const isTextField = (field: string): field is ContactTextField => Object.hasOwn(textFields, field)

function updateField(
  contact: ContactState,
  { field, value }: { field: string; value: JsonValue },
  definitions: KnownObjects['definitions'],
): DecidedStep {
  if (isTextField(field)) return updateText(contact, field, value)
  const definition = field.startsWith('custom.') ? definitions.get(field.slice('custom.'.length)) : undefined
  return definition ? updateCustom(contact, definition, value) : refused(contact, 'field_missing')
}

function textOf(field: ContactTextField, value: JsonValue): string | null | typeof isInvalid {
  if (value === null) return null
  if (typeof value !== 'string') return isInvalid
  try {
    return textFields[field](value)
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid_argument') return isInvalid
    throw error
  }
}

function updateText(contact: ContactState, field: ContactTextField, value: JsonValue): DecidedStep {
  const text = textOf(field, value)
  if (text === isInvalid) return refused(contact, 'field_invalid')
  if (text === (contact.texts[field] ?? null)) return unchanged(contact)
  return applied(contact, { texts: { ...contact.texts, [field]: text } })
}

function updateCustom(contact: ContactState, definition: DefinedField, value: JsonValue): DecidedStep {
  const { fieldKey } = definition
  const { [fieldKey]: current = null, ...others } = contact.customFields
  // JSON of the database has no NUL.
  const isValid = value === null || (isFieldValue(definition, value) && !JSON.stringify(value).includes('\\u0000'))
  if (!isValid) return refused(contact, 'field_invalid')
  if (JSON.stringify(value) === JSON.stringify(current)) return unchanged(contact)
  if (value === null) return applied(contact, { customFields: others })
  const customFields = { ...others, [fieldKey]: value }
  if (JSON.stringify(customFields).length > customFieldsCharsMax) return refused(contact, 'custom_fields_too_long')
  return applied(contact, { customFields })
}

function adjustScore(contact: ContactState, amount: number): DecidedStep {
  const score = contact.score + amount
  if (Math.abs(score) > scoreMax) return refused(contact, 'score_out_of_range')
  return amount === 0 ? unchanged(contact) : applied(contact, { score })
}
