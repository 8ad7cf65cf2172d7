import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { row, sql, type Em } from '@lettergate/database'
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
    legacyConsentGrade: p.text(),
    legacyConsentClassification: p.text().nullable().persist(false),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

/** A contact as every answer shows it. */
export interface ContactRow {
  id: string
  email: string
  normalized_email: string
  first_name: string | null
  last_name: string | null
  company: string | null
  country_code: string | null
  legacy_consent_classification: LegacyConsentGrade | null
  tags: string[]
  custom_fields: JsonObject
}

/** The columns of contact c that answers show. */
export const ownColumns = sql`c.id, c.email, c.normalized_email, c.first_name, c.last_name, c.company, c.country_code,
  c.legacy_consent_classification, c.custom_fields`

/** The same with the names of the tags. */
export const contactColumns = (workspaceId: string) => sql`${ownColumns}, ${tagNamesOf(workspaceId, sql`c.id`)} as tags`

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
  return (await row(em, sql`select 1 from contacts where workspace_id = ${workspaceId} and id = ${id}`)) !== undefined
}
