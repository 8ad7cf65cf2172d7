import type { UpsertContactRequest } from '@lettergate/contracts/contacts/v1/contacts'
import { parseCountryCode } from './country-code.ts'
import { optionalObject } from '../values/free-object.ts'
import { optionalText, requiredText } from '@lettergate/values/text'
import { charsMax } from '../values/chars-max.ts'
import { gradeLegacyConsent } from './legacy-consent.ts'
import { parseEmail } from '../values/normalized-email.ts'
import { parseTags } from '../tags/tag-names.ts'

/** The fields that a write may name, and whether a request without a field mask names them. */
const isGiven = {
  first_name: (req) => req.firstName !== undefined,
  last_name: (req) => req.lastName !== undefined,
  company: (req) => req.company !== undefined,
  country_code: (req) => req.countryCode !== undefined,
  locale: (req) => req.locale !== undefined,
  timezone: (req) => req.timezone !== undefined,
  phone: (req) => req.phone !== undefined,
  tags: (req) => req.tags.length > 0,
  custom_fields: (req) => req.customFields !== undefined,
  is_legacy: (req) => req.isLegacy !== undefined,
  legacy_consent_evidence: (req) => req.legacyConsentEvidence !== undefined,
} as const satisfies Record<string, (req: UpsertContactRequest) => boolean>

function namedFields(req: UpsertContactRequest): string[] {
  const fields = Object.entries(isGiven)
  const mask = req.updateMask && new Set(req.updateMask.paths)
  return fields.filter(([field, given]) => (mask ? mask.has(field) : given(req))).map(([field]) => field)
}

/** The fields of a contact that are texts, and how each is checked; unset is null. Throws Fault `invalid_argument` with the field. */
export const textFields = {
  first_name: (given) => optionalText('first_name', given, charsMax.personName),
  last_name: (given) => optionalText('last_name', given, charsMax.personName),
  company: (given) => optionalText('company', given, charsMax.company),
  country_code: parseCountryCode,
  locale: (given) => optionalText('locale', given),
  timezone: (given) => optionalText('timezone', given),
  phone: (given) => optionalText('phone', given),
} as const satisfies Record<string, (given: string | undefined) => string | null>

export type ContactTextField = keyof typeof textFields

/** Everything an upsert says about a contact, checked; custom fields need their definitions and come apart. */
export function parseContactWrite(req: UpsertContactRequest, now: Date) {
  const named = namedFields(req)
  const { email, normalizedEmail } = parseEmail(req.email)
  return {
    create_only: req.createOnly,
    email,
    normalized_email: normalizedEmail,
    named,
    first_name: textFields.first_name(req.firstName),
    last_name: textFields.last_name(req.lastName),
    company: textFields.company(req.company),
    country_code: textFields.country_code(req.countryCode),
    locale: textFields.locale(req.locale),
    timezone: textFields.timezone(req.timezone),
    phone: textFields.phone(req.phone),
    tags: parseTags(req.tags),
    clears_custom: named.includes('custom_fields') && req.customFields === undefined,
    is_legacy: req.isLegacy ?? false,
    legacy_consent_evidence: optionalObject('legacy_consent_evidence', req.legacyConsentEvidence) ?? null,
    legacy_consent_grade: gradeLegacyConsent(req.legacyConsentEvidence, now),
    source: requiredText('source', req.source),
    source_identifier:
      req.sourceIdentifier === undefined ? null : requiredText('source_identifier', req.sourceIdentifier),
    source_metadata: optionalObject('source_metadata', req.sourceMetadata) ?? null,
    source_workspace: optionalText('source_workspace', req.sourceWorkspace),
  }
}
