import type { JsonObject } from '@bufbuild/protobuf'
import { timestampMs, type Timestamp } from '@bufbuild/protobuf/wkt'
import type {
  IngestSubscriptionEventRequest,
  SourceEventConsent,
  SourceEventContact,
  SourceEventOrigin,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import { Fault } from '@lettergate/fault'
import { optionalObject } from '../values/free-object.ts'
import { optionalText, requiredText } from '@lettergate/values/text'
import { charsMax } from '../values/chars-max.ts'
import { bodyId } from '../values/ids.ts'
import { parseEmail } from '../values/normalized-email.ts'
import { originOf } from './origin.ts'
import { parseUuid } from '@lettergate/values/uuid'

export const eventSchemaVersion = 'service.subscription-source-event.v1'
export const evidenceSchemaVersion = 'app.newsletter-consent-capture.v1'
const aheadMsMax = 5 * 60_000
const localeCharsMax = 40

/** The evidence of the consent, with the field names of the receipt and the consent record. */
export interface ConsentClaim {
  wording_id: string
  wording_sha256: string
  privacy_policy_url: string
  privacy_policy_version: string
  form_id: string
  form_version: string
  page_origin: string
  page_path: string | null
  evidence_schema_version: string
  popup_campaign_id: string | null
  popup_version: number | null
  attribution: JsonObject | null
  captured_at: string
}

/** A consented sign-up from a source. */
export interface SourceEvent {
  idempotencyKey: string
  sourceEventId: string
  /** of the JSON that was sent: equal payloads are exact replays */
  payloadSha256: string
  audienceId: string
  email: string
  normalizedEmail: string
  firstName: string | null
  lastName: string | null
  locale: string | null
  claim: ConsentClaim
}

const invalid = (field: string, message: string) => new Fault('invalid_argument', field, message)

function constant(field: string, given: string, expected: string): string {
  if (given !== expected) throw invalid(field, `${field} must be ${expected}.`)
  return given
}

function webUrl(field: string, given: string): string {
  const text = requiredText(field, given)
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw invalid(field, `${field} must be an http or https URL.`)
  return text
}

/** A time in microseconds, the precision of the database. */
function capturedAt(given: Timestamp | undefined, now: Date): string {
  if (!given) throw invalid('captured_at', 'captured_at is required.')
  const ms = timestampMs(given)
  if (ms > now.getTime() + aheadMsMax) {
    throw invalid('captured_at', 'captured_at is more than 5 minutes ahead. Check the clock of the form.')
  }
  const micros = String(Math.floor((given.nanos % 1_000_000) / 1_000)).padStart(3, '0')
  return new Date(ms).toISOString().replace('Z', `${micros}Z`)
}

function attributionOf(given: JsonObject | undefined): JsonObject | null {
  if (given === undefined) return null
  const field = 'source.attribution'
  optionalObject(field, given)
  if (JSON.stringify(given).includes('\\u0000')) throw invalid(field, `${field} contains a NUL character. Remove it.`)
  return given
}

function personOf(contact: SourceEventContact | undefined) {
  const name = (field: string, given: string | undefined, max: number) =>
    optionalText(`contact.${field}`, given, max)?.trim() || null
  const { email, normalizedEmail } = parseEmail(contact?.email ?? '')
  return {
    email,
    normalizedEmail,
    firstName: name('first_name', contact?.firstName, charsMax.personName),
    lastName: name('last_name', contact?.lastName, charsMax.personName),
    locale: name('locale', contact?.locale, localeCharsMax),
  }
}

function claimOf(
  consent: SourceEventConsent | undefined,
  source: SourceEventOrigin | undefined,
  captured_at: string,
): ConsentClaim {
  if (!consent) throw invalid('consent', 'consent is required.')
  if (!source) throw invalid('source', 'source is required.')
  if (!/^[0-9a-f]{64}$/.test(consent.wordingSha256)) {
    throw invalid('consent.wording_sha256', 'consent.wording_sha256 must be 64 lowercase hexadecimal characters.')
  }
  if (source.popupVersion !== undefined && source.popupVersion < 1n) {
    throw invalid('source.popup_version', 'source.popup_version must be at least 1.')
  }
  const pageOrigin = requiredText('source.page_origin', source.pageOrigin)
  return {
    wording_id: requiredText('consent.wording_id', consent.wordingId, charsMax.name),
    wording_sha256: consent.wordingSha256,
    privacy_policy_url: webUrl('consent.privacy_policy_url', consent.privacyPolicyUrl),
    privacy_policy_version: requiredText('consent.privacy_policy_version', consent.privacyPolicyVersion, charsMax.name),
    form_id: requiredText('source.form_id', source.formId, charsMax.name),
    form_version: requiredText('source.form_version', source.formVersion, charsMax.name),
    // A text that is not an origin is in no list of allowed origins, so it is refused later.
    page_origin: originOf(pageOrigin) ?? pageOrigin,
    page_path: optionalText('source.page_path', source.pagePath),
    evidence_schema_version: constant(
      'source.evidence_schema_version',
      source.evidenceSchemaVersion,
      evidenceSchemaVersion,
    ),
    popup_campaign_id:
      source.popupCampaignId === undefined ? null : eventId('source.popup_campaign_id', source.popupCampaignId),
    popup_version: source.popupVersion === undefined ? null : Number(source.popupVersion),
    attribution: attributionOf(source.attribution),
    captured_at,
  }
}

/** An id of the source; upper and lower case are equal. */
function eventId(field: string, given: string): string {
  const id = parseUuid(given)
  if (id === undefined) throw invalid(field, `${field} must be a UUID.`)
  return id
}

/** Only the gateway has the original body. A gateway of an older release does not send the hash; the source then retries. */
function payloadSha256(given: string): string {
  if (/^[0-9a-f]{64}$/.test(given)) return given
  throw new Fault(
    'unavailable',
    'payload_sha256',
    'The sign-up arrived without the hash of its payload, so it cannot be identified. Send it again in a moment.',
  )
}

/** Parses one event. Throws Fault `invalid_argument` with the field. It does not check the permissions of the source. */
export function parseSourceEvent(req: IngestSubscriptionEventRequest, now: Date): SourceEvent {
  if (req.idempotencyKey.length < 1 || req.idempotencyKey.length > 200) {
    throw invalid('Idempotency-Key', 'The Idempotency-Key header is required: 1 to 200 characters.')
  }
  constant('schema_version', req.schemaVersion, eventSchemaVersion)
  const sourceEventId = eventId('source_event_id', req.sourceEventId)
  const audienceId = bodyId('destination_audience_id', req.destinationAudienceId)
  if (!req.consentGranted) throw invalid('consent_granted', 'consent_granted must be true.')
  return {
    idempotencyKey: req.idempotencyKey,
    sourceEventId,
    payloadSha256: payloadSha256(req.payloadSha256),
    audienceId,
    ...personOf(req.contact),
    claim: claimOf(req.consent, req.source, capturedAt(req.capturedAt, now)),
  }
}
