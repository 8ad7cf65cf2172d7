import type { Ctx } from '../ctx.ts'
import type { Definition, JsonObject } from '../definition/definition.ts'
import { checkFieldTypes, type FieldTypes } from '../definition/check-field-types.ts'
import { referencesOf } from '../definition/references.ts'

/** What the owners of the objects that a definition names say about them. */
export interface Described {
  /** a sentence for each object that does not exist, or cannot be used */
  readonly problems: string[]
  readonly warnings: string[]
  /** a sentence for each content version whose template is archived: it is not published, and one in use goes on */
  readonly archivedTemplates: string[]
  readonly dependencies: JsonObject[]
  readonly counts: JsonObject
  readonly fieldTypes: FieldTypes
  /** audience id to the number of its active members */
  readonly members: ReadonlyMap<string, number>
  /** tag, as the definition names it, to the number of contacts with it */
  readonly tagged: ReadonlyMap<string, number>
  /** tag, as the definition names it, to its id */
  readonly tagIds: ReadonlyMap<string, string>
}

/** A sentence for each object that a definition names and cannot use as it does. */
export const unfitReferences = (definition: Definition, described: Described): string[] => [
  ...described.problems,
  ...checkFieldTypes(definition, described.fieldTypes),
]

const sentencesMax = 20

/** The first sentences of a list, and how many more there are. An answer shows each in a line. */
export function firstSentences(sentences: readonly string[]): string[] {
  const more = sentences.length - sentencesMax
  return [...sentences.slice(0, sentencesMax), ...(more > 0 ? [`And ${more} more.`] : [])]
}

/** Asks contacts-consent and campaigns-delivery for the objects that a definition names. */
export async function describeReferences(ctx: Ctx, definition: Definition): Promise<Described> {
  const { audienceIds, tags, fieldKeys, contentVersionIds, senderIdentityIds } = referencesOf(definition)
  const [people, emails] = await Promise.all([
    ctx.contacts.describeAutomationReferences(ctx, { audienceIds, tags, fieldKeys }),
    ctx.campaigns.describeAutomationEmails(ctx, { contentVersionIds, senderIdentityIds }),
  ])
  const missing = (kind: string, named: readonly string[], found: readonly string[]) =>
    named
      .filter((one) => !found.includes(one))
      .map((one) => `The ${kind} ${JSON.stringify(one)} is not in this workspace.`)
  const archivedTemplates = emails.contents
    .filter(({ templateIsArchived }) => templateIsArchived)
    .map(
      ({ id }) =>
        `The email template of the content version ${id} is archived, so the automation cannot be published. Restore the template, or use other content.`,
    )
  return {
    problems: [
      ...missing(
        'audience',
        audienceIds,
        people.audiences.map(({ id }) => id),
      ),
      ...missing(
        'tag',
        tags,
        people.tags.map(({ named }) => named),
      ),
      ...missing(
        'custom field',
        fieldKeys,
        people.fields.map(({ fieldKey }) => fieldKey),
      ),
      ...missing(
        'content version',
        contentVersionIds,
        emails.contents.map(({ id }) => id),
      ),
      ...missing(
        'sender identity',
        senderIdentityIds,
        emails.senders.map(({ id }) => id),
      ),
      ...people.audiences.filter(({ isArchived }) => isArchived).map(({ id }) => `The audience ${id} is archived.`),
      ...emails.contents
        .filter(({ isEmpty }) => isEmpty)
        .map(({ id }) => `The content version ${id} is empty after sanitising. Append another version.`),
      ...emails.contents
        .filter(({ isForConfirmations }) => isForConfirmations)
        .map(
          ({ id }) =>
            `The content version ${id} links to {{ confirmation_url }}, which only confirmation emails of a subscription source have. Append a version without it.`,
        ),
    ],
    warnings: [
      ...emails.contents
        .filter(({ hasUnsubscribeLink }) => !hasUnsubscribeLink)
        .map(
          ({ id }) =>
            `The content version ${id} has no unsubscribe link that recipients can see. Its emails are sent, with one-click unsubscribe in their headers only.`,
        ),
      ...archivedTemplates,
      ...emails.senders
        .filter(({ isEnabled }) => !isEnabled)
        .map(({ id }) => `The sender identity ${id} is not enabled, so its steps wait until it is.`),
    ],
    archivedTemplates,
    dependencies: [
      ...people.audiences.map(({ id, name }) => ({ type: 'audience', id, name })),
      ...people.tags.map(({ id, name }) => ({ type: 'tag', id, name })),
      ...people.fields.map(({ fieldKey, fieldType }) => ({
        type: 'contact_field',
        key: fieldKey,
        field_type: fieldType,
      })),
      ...emails.contents.map(({ id, subject }) => ({ type: 'content_version', id, subject })),
      ...emails.senders.map(({ id, displayName }) => ({ type: 'sender_identity', id, display_name: displayName })),
    ],
    counts: {
      audiences: audienceIds.length,
      tags: tags.length,
      contact_fields: fieldKeys.length,
      content_versions: contentVersionIds.length,
      sender_identities: senderIdentityIds.length,
    },
    fieldTypes: new Map(people.fields.map(({ fieldKey, fieldType }) => [fieldKey, fieldType])),
    members: new Map(people.audiences.map(({ id, memberCount }) => [id, memberCount])),
    tagged: new Map(people.tags.map(({ named, contactCount }) => [named, contactCount])),
    tagIds: new Map(people.tags.map(({ named, id }) => [named, id])),
  }
}
