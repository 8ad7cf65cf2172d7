import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { column, columns, kyselyOf, listOf, sql, type Em, type RowOf } from '@lettergate/database'
import { tagNamesOf } from '../tags/contact-tag.entity.ts'
import type { LegacyConsentGrade } from './legacy-consent.ts'

export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    email: p.text(),
    normalizedEmail: p.text(),
    firstName: p.text().nullable(),
    lastName: p.text().nullable(),
    company: p.text().nullable(),
    countryCode: p.text().nullable(),
    locale: p.text().nullable(),
    timezone: p.text().nullable(),
    phone: p.text().nullable(),
    customFields: p.json<JsonObject>(),
    isLegacy: p.boolean(),
    legacyConsentEvidence: p.json<JsonObject>().nullable(),
    legacyConsentGrade: p.text().$type<LegacyConsentGrade>(),
    legacyConsentClassification: p.text().$type<LegacyConsentGrade>().nullable().generated('stored'),
    /** the sum of the adjustments by automations */
    score: p.integer(),
    /** what searches compare: under row-level security only = < and >= use an index */
    firstNameLower: p.text().nullable().generated('stored'),
    lastNameLower: p.text().nullable().generated('stored'),
    companyLower: p.text().nullable().generated('stored'),
    emailDomain: p.text().generated('stored'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

/** The columns of a contact that every answer shows. */
export const shownColumns = columns(
  Contact,
  'id',
  'email',
  'normalized_email',
  'first_name',
  'last_name',
  'company',
  'country_code',
  'legacy_consent_classification',
  'custom_fields',
)

/** The same for contact c, with the names of its tags, as in `contactList`. */
export const contactColumns = { ...shownColumns, tags: column.texts() }

/** A contact as every answer shows it. */
export type ContactRow = RowOf<typeof contactColumns>

/** The columns of contact c that answers show. */
export const shownList = listOf(shownColumns, 'c')

/** The same with the names of the tags. */
export const contactList = (workspaceId: string) => sql`${shownList}, ${tagNamesOf(workspaceId, sql`c.id`)} as tags`

/** The contact message of the contract. */
export const contactMessage = (contact: ContactRow) => ({
  id: contact.id,
  email: contact.email,
  normalizedEmail: contact.normalized_email,
  firstName: contact.first_name ?? undefined,
  lastName: contact.last_name ?? undefined,
  company: contact.company ?? undefined,
  countryCode: contact.country_code ?? undefined,
  legacyConsentClassification: contact.legacy_consent_classification ?? undefined,
  tags: contact.tags,
  customFields: contact.custom_fields,
})

export async function contactExists(em: Em, workspaceId: string, id: string): Promise<boolean> {
  const found = await kyselyOf(em, Contact)
    .selectFrom('contacts')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}
