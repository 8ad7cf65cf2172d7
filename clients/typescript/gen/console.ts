// Made by `make proto` from services/gateway/openapi; a test checks that it is current. Do not edit.
import type { Route } from '../src/route.ts'

export type DeletedResponse = {
  deleted: true
}

/** An OpenAPI 3.1 document. */
export type OpenapiDocument = {
  /** Must be a version of OpenAPI 3.1. */
  openapi: string
  info: Record<string, unknown>
  paths: Record<string, unknown>
  components: Record<string, unknown>
}

export type Gate = {
  name: "rate_limit_enabled" | "automation_enabled" | "production_sending_enabled" | "test_sends_enabled" | "synthetic_rehearsals_enabled"
  /** Null for a gate without one. */
  ceiling: boolean | null
  stored: boolean
  effective: boolean
  updated_by: string | null
  updated_at: string | null
}

export type GatesResponse = {
  gates: Gate[]
}

export type GateRequest = {
  enabled: boolean
}

export type GateResponse = {
  gate: Gate
}

export type AuditEntry = {
  id: string
  occurred_at: string
  /** Its slug. Null if it belongs to no workspace. */
  organization: string | null
  /** Its slug. */
  workspace: string | null
  action: string
  subject_type: string
  subject_id: string
  /** A `wallet_user_id`, or `recipient`, `provider`, a source, or `system:` and a job. */
  actor: string
  /** The kind of the actor. Null for entries older than this field. */
  actor_kind: "human" | "agent" | "service" | "source" | "recipient" | "provider" | "system" | null
  /** How the actor authenticated. Null if no request of an operator or a source led to the action. */
  auth_method: "bearer" | "session" | "service" | "source" | null
  /** Further details. For changes also the values before, if they are safe to keep. */
  detail: Record<string, unknown>
  /** `X-Correlation-ID` of the request. Null for entries older than this field. */
  correlation_id: string | null
  /** Of the OpenTelemetry trace of the request, if it was traced. */
  trace_id: string | null
}

export type AuditLogHeadResponse = {
  /** The number of sealed entries. */
  position: number
  /** The hash of the newest seal. Null while nothing is sealed. */
  sha256: string | null
  sealed_at: string | null
}

export type AuditLogResponse = {
  entries: AuditEntry[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type Alert = {
  id: string
  /** A stable name; each has a runbook. */
  code: string
  severity: "warning" | "critical"
  /** The last occurrence sets this, `severity` and `detail`. */
  summary: string
  detail: Record<string, unknown>
  /** Its slug. Null if it belongs to no workspace. */
  organization: string | null
  /** Its slug. */
  workspace: string | null
  /** The time of the first failure. */
  raised_at: string
  last_raised_at: string
  /** How often it was raised before it was acknowledged. */
  times: number
  /** The runbook, as a path in the source of Lettergate. */
  runbook: string
  acknowledged_by: string | null
  acknowledged_at: string | null
}

export type AlertsResponse = {
  alerts: Alert[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type AlertResponse = {
  alert: Alert
}

export type DeadLetter = {
  id: string
  /** The service whose consumer failed. */
  service: string
  consumer: string
  /** `dead` waits for an operator, `replaying` for its consumer. */
  state: "dead" | "replaying" | "replayed" | "discarded"
  /** The kind of the event, such as `message_settled`. */
  event: string
  event_id: string
  /** The service that announced the event. */
  announced_by: string
  announced_at: string
  /** Null if it belongs to no workspace. */
  workspace_id: string | null
  /** `X-Correlation-ID` of the request that caused the event. */
  correlation_id: string
  /** Null if there was no trace. */
  trace_id: string | null
  /** The ids in the payload, by field name. */
  payload_ids: Record<string, unknown>
  /** The number of attempts, replays included. */
  attempts: number
  /** `Fault` is a refusal, anything else an internal error. */
  error_class: string
  /** The error of the last attempt, without addresses. */
  error_message: string
  /** The time of the first failure. */
  failed_at: string
  /** Null again if the replay failed. */
  replay_requested_at: string | null
  replayed_at: string | null
  discarded_at: string | null
  discard_reason: string | null
}

export type DeadLettersResponse = {
  dead_letters: DeadLetter[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type DeadLetterResponse = {
  dead_letter: DeadLetter
}

export type DiscardDeadLetterRequest = {
  reason: string
}

export type PlatformSuppression = {
  id: string
  /** The first character and the domain; `erased` if the address was erased everywhere. */
  masked_email: string
  reason: SuppressionReason
  /** The slug of the organization that made it, null while it is unknown. */
  organization: string | null
  /** The slug of its workspace. */
  workspace: string | null
  /** The user who made it. */
  actor: string
  created_at: string
  resolved_at: string | null
  resolved_by: string | null
}

export type PlatformSuppressionsResponse = {
  suppressions: PlatformSuppression[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type PlatformSuppressionResolutionRequest = {
  resolution_reason: string
}

export type PlatformSuppressionResolvedResponse = {
  resolved: boolean
}

export type OperatorRole = "owner" | "brand_admin" | "editor" | "analyst"

export type Operator = {
  wallet_user_id: string
  username: string | null
  identity_type: "human" | "agent"
  role: OperatorRole
}

export type OperatorRequest = {
  /** Must be letters, digits and the characters . _ : @ -. */
  wallet_user_id: string
  /** Shown until they sign in; after that the name from the wallet is used. */
  username?: string | null
  role: OperatorRole
}

export type OperatorRoleRequest = {
  role: OperatorRole
}

export type OperatorsResponse = {
  operators: Operator[]
}

export type OperatorResponse = {
  operator: Operator
}

export type BrowserSession = {
  id: string
  signed_in_at: string
  last_used_at: string
  /** At the latest. */
  ends_at: string
  /** Whether it is the session of this request. */
  is_current: boolean
}

export type SessionsResponse = {
  sessions: BrowserSession[]
}

export type FieldDefinitionsResponse = {
  field_definitions: ({
    id: string
    field_key: string
    label: string
    field_type: "text" | "long_text" | "integer" | "decimal" | "boolean" | "date" | "datetime" | "single_choice" | "multiple_choice" | "url"
    options: string[]
    version: number
  })[]
}

export type EraseContactRequest = {
  /** `ERASE <contact_id>` */
  confirmation: string
}

export type ErasureResponse = {
  erasure: {
    id: string
    contact_id: string
    state: "running" | "completed"
    requested_by: string
    requested_at: string
    completed_at: string | null
    /** Every service that holds personal data of contacts. */
    services: ({
      service: "contacts-consent" | "campaigns-delivery" | "webhook-intake" | "automations"
      state: "running" | "completed"
      /** For each kind of data, the number of rows that were deleted or lost their personal fields. `run_recipients`, `test_sends`, `provider_events`, `suppressions` and `source_receipts` count rows that stay by id without them; the others count rows that were deleted. */
      removed: Record<string, number>
    })[]
  }
}

export type EligibilityReason = "workspace_archived" | "audience_archived" | "contact_missing" | "suppressed_platform" | "suppressed_workspace" | "suppressed_audience" | "consent_missing" | "consent_withdrawn" | "consent_under_review" | "confirmation_pending" | "legacy_consent_unverified" | "not_subscribed" | "minimum_interval_not_elapsed"

/** Free text is in `evidence`. */
export type SuppressionReason = "hard_bounce" | "complaint" | "unsubscribe" | "manual" | "import" | "legal" | "other"

export type ListedContact = {
  id: string
  email: string
  first_name: string | null
  last_name: string | null
  company: string | null
  country_code: string | null
  legacy_consent_classification: "documented" | "partial" | "undocumented" | null
  tags: string[]
  is_suppressed: boolean
  created_at: string
  updated_at: string
}

export type ContactsResponse = {
  contacts: ListedContact[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type ContactOrigin = {
  id: string
  source: string
  source_identifier: string | null
  source_metadata: Record<string, unknown> | null
  source_workspace: string | null
  actor: string
  actor_kind: string
  correlation_id: string
  is_creation: boolean
  recorded_at: string
}

export type ContactMembership = {
  audience_id: string
  audience_name: string
  is_active: boolean
  consent: "granted" | "withdrawn" | null
  consent_event_id: string | null
  consent_changed_at: string | null
  /** Not eligible while an operator reviews this consent. */
  under_review_since: string | null
  created_at: string
}

export type AudienceEligibility = {
  audience_id: string
  audience_name: string
  eligible: boolean
  /** Every reason that applies, in the order of the reasons in the schema. */
  reasons: EligibilityReason[]
}

export type Suppression = {
  id: string
  contact_id: string
  email: string
  scope: "audience" | "workspace" | "platform"
  audience_id: string | null
  /** Null also when the audience was deleted. */
  audience_name: string | null
  reason: SuppressionReason
  source: string
  evidence: Record<string, unknown> | null
  actor: string
  created_at: string
  resolved_at: string | null
  resolved_by: string | null
  resolution_reason: string | null
}

export type ContactProfile = {
  id: string
  email: string
  normalized_email: string
  first_name: string | null
  last_name: string | null
  company: string | null
  country_code: string | null
  locale: string | null
  timezone: string | null
  phone: string | null
  tags: string[]
  /** By field key. */
  custom_fields: Record<string, unknown>
  is_legacy: boolean
  legacy_consent_evidence: Record<string, unknown> | null
  legacy_consent_classification: "documented" | "partial" | "undocumented" | null
  created_at: string
  updated_at: string
  provenance: ContactOrigin[]
  memberships: ContactMembership[]
  eligibility: AudienceEligibility[]
  suppressions: Suppression[]
  /** Suppressed for every organization, by any workspace. */
  is_platform_suppressed: boolean
}

export type ContactProfileResponse = {
  contact: ContactProfile
}

export type SuppressionsResponse = {
  suppressions: Suppression[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type ConsentEvent = {
  id: string
  contact_id: string
  /** Null if the contact was deleted. */
  email: string | null
  kind: "granted" | "withdrawn" | "suppressed" | "resolved"
  scope: "audience" | "workspace" | "platform"
  audience_id: string | null
  audience_name: string | null
  suppression_id: string | null
  reason: string | null
  source: string
  wording_version: string | null
  evidence: Record<string, unknown> | null
  evidence_sha256: string | null
  form_identifier: string | null
  source_application: string | null
  actor: string
  actor_kind: string
  correlation_id: string
  occurred_at: string
  recorded_at: string
}

export type ConsentEventsResponse = {
  consent_events: ConsentEvent[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type CountedAudience = {
  id: string
  name: string
  slug: string
  purpose: string
  minimum_interval_seconds: number
  is_archived: boolean
  active_member_count: number
  created_at: string
  archived_at: string | null
}

export type CountedAudiencesResponse = {
  audiences: CountedAudience[]
}

export type AudienceMemberDay = {
  /** Of UTC. */
  day: string
  active_member_count: number
}

export type AudienceMemberDaysResponse = {
  days: AudienceMemberDay[]
}

export type Source = {
  /** The scope of a wallet grant. */
  id: string
  slug: string
  display_name: string
  status: "active" | "suspended" | "revoked"
  allows_all_audiences: boolean
  allowed_audience_ids: string[]
  allowed_origins: string[]
}

export type SourceResponse = {
  source: Source
}

/** Scheme, host and port, without path, query or trailing slash. The default port equals none. */
export type AllowedOrigins = string[]

export type SourceCreateRequest = {
  /** Must be lowercase letters and digits, in words joined by single hyphens, such as spring-sale. */
  slug: string
  display_name: string
  allowed_origins: AllowedOrigins
  allowed_audience_ids?: string[] | null
  allows_all_audiences?: boolean
}

export type SourceCredentialResponse = {
  source: Source
  /** Shown only this time; only its hash is stored. Must be lgs_ and 43 letters, digits, hyphens and underscores. */
  credential: string
}

export type CurrentSourceCredentialResponse = {
  /** Null while the source has no valid credential. Then only wallet grants are accepted. */
  credential: {
    created_at: string
    /** Who created the source with it or rotated it. */
    created_by: string
  } | null
}

export type SourceStatusRequest = {
  status: "active" | "suspended" | "revoked"
}

export type SourceConfirmation = {
  sender_identity_id: string
  /** Its HTML must link to `{{ confirmation_url }}`. */
  content_version_id: string
}

export type SourceConfirmationResponse = {
  /** Null while confirmed opt-in is off. */
  confirmation: {
    sender_identity_id: string
    content_version_id: string
  } | null
}

export type SourceReceipt = {
  id: string
  source_event_id: string
  status: "accepted" | "review_required" | "suppressed"
  reason_class: "review_legacy_contact" | "review_consent_conflict" | "confirmation_pending" | "suppressed_platform" | "suppressed_workspace" | "suppressed_audience" | null
  /** Null after the contact was deleted. */
  contact_id: string | null
  audience_id: string
  consent_event_id: string
  page_origin: string
  page_path: string | null
  form_id: string
  form_version: string
  wording_id: string
  captured_at: string
  received_at: string
}

export type SourceReceiptsResponse = {
  receipts: SourceReceipt[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type ConsentProofResponse = {
  proof: ConsentProof
}

/** `head` is signed; `head.content_sha256` is the SHA-256 of the RFC 8785 JSON of everything except `head` and `signature`. */
export type ConsentProof = {
  format: "lettergate.consent-proof.v1"
  workspace: {
    id: string
    organization: string | null
    slug: string | null
    name: string | null
  }
  contact: {
    id: string
    /** False after the contact was deleted; its record stays. */
    exists: boolean
    normalized_email: string | null
    legacy_consent_classification: "documented" | "partial" | "undocumented" | null
    legacy_consent_evidence: Record<string, unknown> | null
  }
  audiences: ConsentProofVerdict[]
  suppressions: ConsentProofSuppression[]
  events: ConsentProofEvent[]
  head: ConsentProofHead
  signature: {
    key_id: string
    /** SubjectPublicKeyInfo (DER), base64. */
    public_key: string
    fingerprint: Sha256
    /** Over the RFC 8785 JSON of `head`. Must be 128 lowercase hexadecimal digits. */
    ed25519: string
  }
}

/** Must be a SHA-256 in 64 lowercase hexadecimal digits. */
export type Sha256 = string

export type ConsentProofVerdict = {
  id: string
  name: string
  slug: string
  eligible: boolean
  /** The event that decided on consent; null if there is none. */
  consent_event_id: string | null
  reasons: ({
    reason: string
    based_on: ({
      kind: "consent_event" | "suppression" | "membership" | "contact" | "audience" | "workspace"
      /** The audience of a membership; null for another workspace's suppression. */
      id: string | null
      since: string | null
    })[]
  })[]
}

export type ConsentProofSuppression = {
  /** Null if another workspace made it. */
  id: string | null
  scope: "audience" | "workspace" | "platform"
  audience_id: string | null
  reason: string
  source: string | null
  created_at: string
}

export type ConsentProofEvent = {
  /** The event as it was recorded. Its hash leaves out null fields. */
  event: {
    workspace_id: string
    id: string
    contact_id: string
    kind: "granted" | "withdrawn" | "suppressed" | "resolved"
    scope: "audience" | "workspace" | "platform"
    audience_id: string | null
    suppression_id: string | null
    reason: string | null
    source: string
    wording_version: string | null
    evidence_sha256: string | null
    form_identifier: string | null
    source_application: string | null
    actor: string
    actor_kind: string
    correlation_id: string
    occurred_at: string
    recorded_at: string
  }
  /** `none`: there was never evidence. `erased`: only the hash is left in the event. */
  evidence: {
    state: "none" | "erased" | "held"
    /** Must be 32 lowercase hexadecimal digits. */
    salt: string | null
    content: Record<string, unknown> | null
  }
  seal: {
    workspace_id: string
    position: number
    event_id: string
    event_sha256: Sha256
    contact_id: string
    contact_position: number
    previous_contact_sha256: string | null
    previous_sha256: string | null
    sealed_at: string
    sha256: Sha256
  }
}

export type ConsentProofHead = {
  format: "lettergate.consent-proof.v1"
  workspace_id: string
  contact_id: string
  contact_events: number
  /** The contact's last seal; null without events. */
  contact_sha256: string | null
  /** The end of the workspace's chain. */
  position: number
  sha256: string | null
  content_sha256: Sha256
  key_id: string
  exported_at: string
}

export type ConsentProofKeysResponse = {
  keys: ({
    key_id: string
    /** SubjectPublicKeyInfo (DER), base64. */
    public_key: string
    /** SHA-256 of the bytes of `public_key`. Must be a SHA-256 in 64 lowercase hexadecimal digits. */
    fingerprint: string
  })[]
}

export type Tag = {
  id: string
  name: string
  /** The number of contacts with this tag. */
  contact_count: number
}

export type TagsResponse = {
  tags: Tag[]
}

export type TagResponse = {
  tag: Tag
}

export type TagNameRequest = {
  name: string
}

export type TagMergeRequest = {
  /** The name of the remaining tag, or its id. */
  into: string
}

export type TagChangeResponse = {
  tag: Tag
  /** The number of contacts that had the tag. */
  contacts_changed: number
  /** Always true: the contacts change together with the catalogue. */
  is_complete: boolean
}

export type ContactTagRequest = {
  /** The name of the tag, or its id. */
  tag: string
}

export type ContactTagResponse = {
  tag: Tag
  contact: {
    id: string
    tags: string[]
  }
}

export type ProviderConnection = {
  id: string
  name: string
  provider: "mailprovider"
  region: "us" | "eu"
  credential_env_key: string
  webhook_signing_env_key: string | null
  connection_state: "unchecked" | "verified" | "failed"
  is_active: boolean
  credential_value_exposed: false
}

export type ProviderConnectionResponse = {
  provider_connection: ProviderConnection
}

/** The name of an environment key of the service. Other names are refused. Must be MAILPROVIDER_ or MAILGUN_, followed by at most 100 capital letters, digits and underscores, such as MAILPROVIDER_API_KEY. */
export type CredentialEnvKey = string

export type ProviderConnectionChanges = {
  name?: string
  credential_env_key?: CredentialEnvKey
  region?: "us" | "eu"
  /** Null clears it. Must be MAILPROVIDER_ or MAILGUN_, followed by at most 100 capital letters, digits and underscores, such as MAILPROVIDER_API_KEY. */
  webhook_signing_env_key?: string | null
}

export type ListedProviderConnection = {
  id: string
  name: string
  provider: "mailprovider"
  region: "us" | "eu"
  credential_env_key: string
  webhook_signing_env_key: string | null
  connection_state: "unchecked" | "verified" | "failed"
  is_active: boolean
  credential_value_exposed: false
  /** The result of the last check. Null before the first. */
  check_detail: string | null
  checked_at: string | null
  activated_at: string | null
  /** Where the provider posts the events of this connection. */
  webhook_url: string
  domain_names: string[]
  created_at: string
}

export type ProviderConnectionsResponse = {
  provider_connections: ListedProviderConnection[]
}

export type CheckState = "not_checked" | "pending" | "verified" | "failed"

export type AlignmentState = "not_checked" | "aligned" | "misaligned"

export type QuotaState = "not_checked" | "approved" | "insufficient"

export type SendingDomain = {
  id: string
  domain_name: string
  verification_state: CheckState
  spf_state: CheckState
  dkim_state: CheckState
  dmarc_state: CheckState
  alignment_state: AlignmentState
  quota_state: QuotaState
  is_ready: boolean
}

export type SendingDomainResponse = {
  sending_domain: SendingDomain
}

export type SendingDomainChanges = {
  /** Null clears it. */
  tracking_domain?: string | null
  /** Null clears them. */
  notes?: string | null
}

export type ListedSendingDomain = {
  id: string
  domain_name: string
  verification_state: CheckState
  spf_state: CheckState
  dkim_state: CheckState
  dmarc_state: CheckState
  alignment_state: AlignmentState
  quota_state: QuotaState
  is_ready: boolean
  /** All eight kinds of events are registered for this workspace. */
  webhooks_registered: boolean
  /** The last check passed and is recent enough to count. */
  check_is_current: boolean
  checked_at: string | null
  /** When the domain is checked again automatically. Null if it is not. */
  recheck_at: string | null
  provider_connection_id: string | null
  provider_connection_name: string | null
  sender_count: number
  created_at: string
}

export type SendingDomainsResponse = {
  sending_domains: ListedSendingDomain[]
}

export type SendingDomainRecord = {
  name: string
  type: string
  value: string
  /** The provider's own state: valid, invalid or unknown. */
  valid: string
}

export type ListedDomainCheck = {
  id: string
  passed: boolean
  is_ready: boolean
  /** The user who requested it, or the job for re-checks. */
  requested_by: string
  checked_at: string
  /** By subject (verification, spf, dkim, dmarc, alignment, webhooks, tracking, mx): question, server, answer, expected, verdict and detail. */
  evidence: Record<string, unknown>
}

export type SendingDomainDetailsResponse = {
  sending_domain: ListedSendingDomain
  dkim_selector: string | null
  provider_domain_reference: string | null
  tracking_domain: string | null
  notes: string | null
  /** Null without a connection. */
  webhook_url: string | null
  /** The DNS records that the provider requires. */
  records: SendingDomainRecord[]
  last_check: ListedDomainCheck | null
}

export type DomainChecksResponse = {
  checks: ListedDomainCheck[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type SenderIdentity = {
  id: string
  display_name: string
  from_address: string
  reply_to: string
  verification_state: "pending" | "verified" | "failed"
  is_enabled: boolean
}

export type SenderIdentityResponse = {
  sender_identity: SenderIdentity
}

export type SenderIdentityChanges = {
  display_name?: string
  from_address?: string
  reply_to?: string
}

export type ListedSenderIdentity = {
  id: string
  display_name: string
  from_address: string
  reply_to: string
  verification_state: "pending" | "verified" | "failed"
  is_enabled: boolean
  sending_domain_id: string
  domain_name: string
  domain_is_ready: boolean
  domain_check_is_current: boolean
  enabled_at: string | null
  enabled_by: string | null
  created_at: string
}

export type SenderIdentitiesResponse = {
  sender_identities: ListedSenderIdentity[]
}

export type SendingOffResponse = {
  workspace: {
    id: string
    production_sending_enabled: false
  }
}

export type ContentValidation = {
  /** Stays true when markup was stripped. */
  valid: boolean
  links: number
  images: number
  /** Bare names, without `unsubscribe_url`. */
  tokens: string[]
  missing_defaults: string[]
  review_warnings: string[]
  plain_text_generated: boolean
  unsubscribe_present: boolean
  source_provenance?: SourceProvenance
  /** What the sanitiser removed: bare lowercase names, once each. */
  stripped: {
    tags: string[]
    attributes: string[]
    css_properties: string[]
    protocols: string[]
  }
}

/** The origin of a reconstructed legacy object. Any other object has none. */
export type SourceProvenance = {
  source_system: string
  source_object_type: "email" | "campaign"
  source_object_id: string | number
  source_id: string
  source_repository_commit: string
  checksum_manifest_sha256: string
  protected_source_outside_git: true
  operator_review_required: true
  source_checksum?: string
  source_hashes?: Record<string, unknown>
  transformation?: Record<string, unknown> | string
  workflow_graph_sha256?: string
}

export type ListedEmailTemplate = {
  id: string
  name: string
  slug: string
  description: string | null
  /** A draft with its content cannot be scheduled. */
  archived: boolean
  /** The number of versions, which is the number of the latest. */
  content_versions: number
  created_by: string
  created_at: string
}

export type EmailTemplatesResponse = {
  email_templates: ListedEmailTemplate[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type ListedContentVersion = {
  id: string
  version: number
  subject: string
  valid: boolean
  unsubscribe_present: boolean
  review_warnings: string[]
  created_by: string
  created_at: string
}

export type EmailTemplateVersionsResponse = {
  email_template: ListedEmailTemplate
  content_versions: ListedContentVersion[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type StoredContentVersion = {
  id: string
  template_id: string
  version: number
  subject: string
  preheader: string | null
  /** The only HTML that is stored and sent. */
  sanitized_html: string
  plain_text: string
  personalization_defaults: Record<string, string>
  validation: ContentValidation
  created_by: string
  created_at: string
}

export type StoredContentVersionResponse = {
  content_version: StoredContentVersion
}

export type RenderedContentResponse = {
  subject: string
  html: string
  plain_text: string
}

/** Signed provider events of this message by the seven kinds of the envelope, repeats not counted. */
export type TestEventCounts = Record<string, number>

export type RehearsalReconciliation = {
  /** The kinds of events that verify a rehearsal. */
  expected: string[]
  /** Every kind that has arrived. */
  received: string[]
  missing: string[]
  /** Recognised signed repeats of its events. */
  duplicates: number
  /** Requests that the connection's webhook refused for their signature while the rehearsal waited. */
  signature_failures: number
  /** A rehearsal that is not verified by this time has failed. */
  deadline_at: string
  /** `events_missing`, or the result of the message. Null unless failed. */
  failure_reason: string | null
}

export type PreflightSummary = {
  passed: number
  blocked: number
  warnings: number
}

export type PreflightCheck = {
  code: "production_ceiling" | "production_switch" | "workspace_sending" | "workspace_active" | "provider_connection" | "webhook_signing_key" | "domain_readiness" | "webhook_registration" | "sender_enabled" | "unsubscribe_link" | "recent_test_send" | "verified_rehearsal" | "import_in_progress" | "delivery_workers" | "event_backlog" | "suppression_feed"
  label: string
  detail: string
  status: "pass" | "warn" | "block"
  evidence?: Record<string, unknown>
  remediation?: string
}

/** The number of test sends and rehearsals that the workspace may make now. Both windows slide. */
export type TestSendCaps = {
  hourly_cap: number
  hourly_left: number
  daily_cap: number
  daily_left: number
}

export type ListedTestSend = {
  id: string
  purpose: "test_send" | "rehearsal"
  state: "queued" | "accepted" | "delivered" | "failed"
  /** `unknown`: the provider may have the message, and it is never sent again. */
  hand_off_state: "claimed" | "accepted" | "failed" | "unknown"
  /** Why the call failed or is unknown, or how it was settled. */
  reason: string | null
  sender_identity_id: string
  content_version_id: string
  recipient_email: string
  attempt_count: number
  provider_message_id: string | null
  event_counts: TestEventCounts
  requested_by: string
  created_at: string
  settled_at: string | null
}

export type TestSendsResponse = {
  test_sends: ListedTestSend[]
  /** Null on the last page. */
  next_cursor: string | null
  caps: TestSendCaps
}

export type ListedRehearsal = {
  id: string
  test_send_request_id: string
  state: "pending" | "sent" | "verified" | "failed"
  recipient_email: string
  sender_identity_id: string
  content_version_id: string
  event_counts: TestEventCounts
  reconciliation: RehearsalReconciliation
  requested_by: string
  created_at: string
  verified_at: string | null
}

export type RehearsalsResponse = {
  rehearsals: ListedRehearsal[]
  /** Null on the last page. */
  next_cursor: string | null
  caps: TestSendCaps
}

export type ListedPreflight = {
  id: string
  status: "passed" | "blocked"
  summary: PreflightSummary
  checks: PreflightCheck[]
  report_checksum: string
  requested_by: string
  completed_at: string
  /** The report before this one. Null for the first. */
  previous_id: string | null
  /** The checks whose status differs from the report before; none for the first report. */
  changes: PreflightChange[]
}

export type PreflightChange = {
  code: string
  label: string
  /** Null if the report before does not have this check. */
  before: "pass" | "warn" | "block" | null
  /** Null if this report no longer has this check. */
  after: "pass" | "warn" | "block" | null
}

export type PreflightsResponse = {
  preflights: ListedPreflight[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type Counts = Record<string, number>

export type CampaignRun = {
  id: string
  campaign_id: string
  snapshot_id: string
  state: "scheduled" | "sending" | "paused" | "completed" | "unscheduled" | "cancelled" | "failed"
  scheduled_for: string
  included_count: number
  /** Active members who were not eligible at the snapshot. */
  excluded_count: number
  sent_count: number
  failed_count: number
  /** By eligibility reason; a contact counts under each of its reasons. */
  exclusion_counts: Counts
  /** The run whose unknown messages this run sends again. */
  resends_run_id: string | null
  /** The newest run that sends the unknown messages of this run again. */
  resent_by_run_id: string | null
}

export type CampaignRunResponse = {
  campaign_run: CampaignRun
}

/** Contacts by the exact names of their tags. An empty list sets no condition. */
export type TagFilter = {
  /** Contacts with at least one of these. */
  any?: TagNames
  /** Contacts with every one of these. */
  all?: TagNames
  /** Contacts with none of these. */
  none?: TagNames
} | null

export type TagNames = string[]

export type TargetedCampaignDraftRequest = {
  name: string
  audience_ids: string[]
  tag_filter?: TagFilter
  sender_identity_id: string
  content_version_id: string
  notes?: string | null
}

export type TargetedCampaignDraftVersionRequest = {
  name: string
  audience_ids: string[]
  tag_filter?: TagFilter
  sender_identity_id: string
  content_version_id: string
  notes?: string | null
  /** The version that the author began with. 409 if another one is current. Without it nothing is compared. */
  expected_version?: number
}

export type DetailedDraft = {
  id: string
  version: number
  name: string
  /** Set only when exactly one audience is targeted. */
  audience_id: string | null
  /** Authoritative. */
  audience_ids: string[]
  /** As it was given, `any`, `all` and `none`, without empty lists. Null if the draft has no tag filter. */
  tag_filter: Record<string, TagNames> | null
  sender_identity_id: string
  content_version_id: string
  notes: string | null
  created_by: string
  created_at: string
}

export type DetailedCampaign = {
  id: string
  status: "draft" | "scheduled" | "sending" | "sent" | "cancelled"
  current_version: number
  /** The current version. */
  draft: DetailedDraft
  created_by: string
  created_at: string
}

export type DetailedCampaignResponse = {
  campaign: DetailedCampaign
}

export type CampaignsResponse = {
  campaigns: DetailedCampaign[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type DetailedRun = {
  id: string
  campaign_id: string
  snapshot_id: string
  state: "scheduled" | "sending" | "paused" | "completed" | "unscheduled" | "cancelled" | "failed"
  scheduled_for: string
  included_count: number
  excluded_count: number
  sent_count: number
  failed_count: number
  /** By eligibility reason; a contact counts under each of its reasons. */
  exclusion_counts: Record<string, number>
  /** The version of the snapshot. */
  draft_version: number
  /** What holds a run that is sending. */
  held_by: string | null
  failure_reason: string | null
  scheduled_by: string
  created_at: string
  started_at: string | null
  completed_at: string | null
  /** As in the run. */
  resends_run_id: string | null
  /** As in the run. */
  resent_by_run_id: string | null
}

export type DetailedCampaignWithRunsResponse = {
  campaign: DetailedCampaign
  versions: DetailedDraft[]
  runs: DetailedRun[]
}

export type CampaignRunUnknownResponse = {
  /** Recipients whose message is unknown, without those that a resend of this run reached or may have reached. */
  resendable: number
  /** Recipients that a resend of this run reached or may have reached. */
  resent: number
}

export type ResendCampaignRunUnknownRequest = {
  confirmation: "SEND UNKNOWN AGAIN: PEOPLE MAY GET IT TWICE"
  /** The number of recipients that this sends to. If it differs from the current number, the answer is 409 and gives the current number. */
  count: number
  /** Another sender of this workspace. Needed when the sender of the run does not exist any more, which is why a run fails. */
  sender_identity_id?: string
}

export type NodeKey = string

export type AutomationTrigger = {
  type: "audience_subscribed" | "tag_added" | "tag_removed" | "contact_field_changed" | "contact_date" | "recurring_schedule" | "api_event" | "manual"
  /** `audience_subscribed`: `audience_id`. `tag_added`, `tag_removed`: `tag`. `contact_field_changed`: `field`. `contact_date`: `field`, `offset_days`. `recurring_schedule`: `cron`, `timezone`. `api_event`: `event_name`. `manual`: nothing. Only the first three enrol contacts. */
  config: Record<string, unknown>
}

export type AutomationNode = {
  key: NodeKey
  type: "send_email" | "wait_duration" | "wait_until_date" | "add_tag" | "remove_tag" | "add_audience" | "remove_audience" | "update_contact_field" | "adjust_score" | "decision" | "end"
  /** `send_email`: `content_version_id`, `sender_identity_id`. `wait_duration`: `seconds`. `wait_until_date`: `at` or `field`. `add_tag`, `remove_tag`: `tag`. `add_audience`: `audience_id`, `wording_version`, `source`. `remove_audience`: `audience_id`. `update_contact_field`: `field`, `value`. `adjust_score`: `amount`. `decision`, `end`: nothing. A field is a contact field or `custom.<field_key>`. */
  config: Record<string, unknown>
}

export type AutomationEdge = {
  from: NodeKey
  to: NodeKey
  /** `default` is used when no condition matches. */
  branch: string
  /** `{all: […]}`, `{any: […]}`, `{not: …}`, or `{field, operator, value}` with `tag`, `audience_id` or `score: true` in place of `field`. Operators: `equals`, `not_equals`, `contains`, `exists`, `not_exists`, `greater_than`, `less_than`, `in`. */
  condition?: Record<string, unknown>
}

export type AutomationDefinition = {
  trigger: AutomationTrigger
  start_node: NodeKey
  nodes: AutomationNode[]
  edges: AutomationEdge[]
}

export type AutomationValidation = {
  valid: boolean
  structural_errors: string[]
  dependencies: AutomationDependency[]
  dependency_counts: AutomationDependencyCounts
  warnings: string[]
  authoring_only: true
  execution_available: false
  reconstruction_review?: Record<string, unknown>
  source_provenance?: SourceProvenance
}

/** What the definition names, as it was when the version was made. The `type` and: for `audience` and `tag` `id` and `name`, for `contact_field` `key` and `field_type`, for `content_version` `id` and `subject`, for `sender_identity` `id` and `display_name`. */
export type AutomationDependency = Record<string, unknown>

/** How many different things of each kind the definition names. */
export type AutomationDependencyCounts = {
  audiences: number
  tags: number
  /** Custom fields. */
  contact_fields: number
  content_versions: number
  sender_identities: number
}

export type AutomationPreview = {
  /** The nodes that a contact can reach, each once, in the order in which a contact can arrive at them. */
  steps: AutomationPreviewStep[]
  /** The contacts that the trigger was about when the version was made; null for a trigger that enrols nobody. */
  estimate: {
    contacts: number
    basis: "active members of the audience" | "contacts with the tag"
  } | null
}

export type AutomationPreviewStep = {
  node_key: string
  /** The type of the node. */
  type: string
  /** The node from which a contact arrives the earliest; null at the start. */
  from: string | null
  /** The branch of that node; null at the start. */
  branch: string | null
  /** The sum of the waits until then, on the path with the shortest waits. */
  after_seconds: number
  /** Whether a wait for a date, whose length is not known, is on that path. */
  after_date: boolean
}

export type AutomationVersionSummary = {
  id: string
  version: number
  trigger_type: string
  definition_checksum: string
  change_notes: string | null
  created_by_wallet_id: string
  created_at: string
}

export type AutomationVersion = AutomationVersionSummary & {
  definition: AutomationDefinition
  validation: AutomationValidation
  preview: AutomationPreview
}

export type AutomationListItem = {
  id: string
  workspace_id: string
  name: string
  slug: string
  description: string | null
  status: "draft" | "ready_for_review" | "archived" | "published" | "paused"
  current_version: number
  review_ready_version: number | null
  review_ready_by_wallet_id: string | null
  review_ready_at: string | null
  authoring_only: true
  execution_available: false
  activation_available: false
  enrollment_available: false
}

export type Automation = AutomationListItem & {
  selected_version: AutomationVersion
  versions: AutomationVersionSummary[]
}

export type AutomationResponse = {
  automation: Automation
}

export type EnrollmentListItem = {
  id: string
  workspace_id: string
  automation_id: string
  automation_version_id: string
  state: "active" | "waiting" | "paused" | "completed" | "cancelled" | "failed"
  synthetic: boolean
  enrolled_at: string
  /** Messages whose hand-off to the mail provider was stored. Always 0 for a synthetic enrollment. */
  provider_calls: number
  webhook_calls: 0
  /** Where the contact is, or where the enrollment failed. Null after any other end. */
  current_node_key: string | null
  /** Null in every state but `completed`. */
  completed_at: string | null
}

export type Enrollment = EnrollmentListItem & {
  /** When the next step is due. Null while the enrollment is paused, and after its end. */
  due_at: string | null
  /** Why the last attempt at the next step did nothing, for instance the name of a closed gate. Null without such an attempt, while the enrollment is paused, and after its end. */
  waiting_reason: string | null
  events: EnrollmentTimelineEvent[]
  steps: EnrollmentTimelineStep[]
}

export type EnrollmentTimelineEvent = {
  event: "enrolled" | "paused" | "resumed" | "cancelled" | "replayed" | "failed" | "completed"
  at: string
  /** A user, or `system`. Null for `enrolled` and `completed`. */
  actor: string | null
  /** `virtual_clock` for `enrolled`, if the times are those of a virtual clock. */
  reason: string | null
  /** Of `failed` and `replayed`. */
  step_id: string | null
  /** Of `enrolled`. */
  contact_id: string | null
  /** Of `enrolled`. */
  trigger_type: string | null
  /** Of `enrolled`, if the trigger was `audience_subscribed`. */
  audience_id: string | null
}

export type EnrollmentTimelineStep = {
  step_id: string
  number: number
  node_key: string
  node_type: string
  /** The `config` of the node in the version of the enrollment. Null if it has more than 4,096 bytes as JSON; the version has it. */
  input: Record<string, unknown> | null
  /** Null until the step is finished. */
  outcome: string | null
  reasons: string[]
  /** The branch that a `decision` took. */
  branch: string | null
  /** The message of a `send_email`. */
  message_id: string | null
  /** The audience under which the message was sent, or may have been. */
  audience_id: string | null
  started_at: string
  finished_at: string | null
  /** The end of a wait that is not over. */
  waits_until: string | null
}

export type EnrollmentResponse = {
  enrollment: Enrollment
}

export type AutomationNodeCounts = {
  node_key: string
  node_type: string
  /** Contacts at the node whose step is due or being done. */
  active: number
  /** Contacts who wait at the node. */
  waiting: number
  /** Contacts who are paused at the node. */
  paused: number
  /** Steps that did what the node says or had nothing to do. */
  passed: number
  /** Steps that were skipped. The timeline of the enrollment has the reasons. */
  skipped: number
  /** Steps that failed. */
  failed: number
  /** Emails that may have been handed off. The contacts moved on. */
  unknown: number
}

export type AutomationVersionCounts = {
  automation_id: string
  automation_version_id: string
  active: number
  waiting: number
  paused: number
  completed: number
  cancelled: number
  failed: number
  /** Contacts who are in any other version of the automation now. */
  in_other_versions: number
  nodes: AutomationNodeCounts[]
}

export type AutomationPublicationRequest = {
  /** The version that the user saw. 409 if another one is current. Without it nothing is compared. */
  expected_version?: number
}

export type AutomationVersionCountsResponse = {
  counts: AutomationVersionCounts
}

export type SyntheticRunRequest = {
  contact_id: string
  synthetic_context_id: string
  /** The beginning of the virtual clock, in the years 2000 to 2099. */
  starts_at: string
}

export type EnrolledContact = {
  /** The id of the enrollment. */
  id: string
  contact_id: string
  /** Null if the contact was deleted or erased. */
  email: string | null
  state: "active" | "waiting" | "paused" | "completed" | "cancelled" | "failed"
  synthetic: boolean
  enrolled_at: string
  /** Messages whose hand-off to the mail provider was stored. */
  provider_calls: number
  /** Where the contact is, or where the enrollment failed. Null after any other end. */
  current_node_key: string | null
  /** Null in every state but `completed`. */
  completed_at: string | null
}

export type EnrolledContactsResponse = {
  enrollments: EnrolledContact[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type ContactEnrollment = {
  id: string
  automation_id: string
  automation_name: string
  state: "active" | "waiting" | "paused" | "completed" | "cancelled" | "failed"
  synthetic: boolean
  enrolled_at: string
  /** Where the contact is, or where the enrollment failed. Null after any other end. */
  current_node_key: string | null
  /** Null after the end. */
  at_node_since: string | null
  /** The end of the wait at this node. */
  waits_until: string | null
  /** Why the current step was not done at its last attempt. */
  waiting_reason: string | null
  ended_at: string | null
  /** A text of the user who cancelled it, or a word of the system. */
  end_reason: string | null
  /** Of a cancelled or failed enrollment. */
  ended_by: string | null
}

export type ContactEnrollmentsResponse = {
  enrollments: ContactEnrollment[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type ListedProviderEvent = {
  /** Our id, which the webhook returned. */
  id: string
  connection_id: string
  provider_event_id: string
  event: "accepted" | "delivered" | "failed" | "opened" | "clicked" | "unsubscribed" | "complained"
  /** Only for failures. */
  severity: "permanent" | "temporary" | null
  /** The wording of the provider, such as `bounce` or `suppress-bounce`. */
  reason: string | null
  /** The message of the event, if the provider returned our id. */
  message_id: string | null
  provider_message_id: string | null
  /** By the provider's clock. */
  occurred_at: string
  received_at: string
  body_bytes: number
  /** Must be a SHA-256 in 64 lowercase hexadecimal digits. */
  body_sha256: string
  /** When its id first arrived again with different content. The first content counts. */
  contradicted_at: string | null
  replayed_at: string | null
}

export type ProviderEventsResponse = {
  provider_events: ListedProviderEvent[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type ListedCampaignRun = {
  id: string
  campaign_id: string
  /** Of the draft version that was scheduled. */
  campaign_name: string
  state: "scheduled" | "sending" | "paused" | "completed" | "unscheduled" | "cancelled" | "failed"
  scheduled_for: string
  started_at: string | null
  completed_at: string | null
  /** What holds the run now, as in its report. */
  held_by: string | null
  included_count: number
  excluded_count: number
  sent_count: number
  failed_count: number
  delivered: number
  hard_bounced: number
  complained: number
  opened_recipients: number
  created_at: string
  /** As in the run. */
  resends_run_id: string | null
  /** As in the run. */
  resent_by_run_id: string | null
}

export type CampaignRunsResponse = {
  campaign_runs: ListedCampaignRun[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type CampaignRunMoment = {
  /** The beginning of the minute or hour, in UTC. */
  at: string
  handed_off: number
  delivered: number
  bounced: number
  opened: number
  clicked: number
  complained: number
  unsubscribed: number
}

export type CampaignRunTimelineResponse = {
  bucket: "minute" | "hour"
  timeline: CampaignRunMoment[]
}

export type CampaignRunRecipient = {
  /** The message id that the provider carries. */
  id: string
  contact_id: string
  audience_id: string
  email: string
  state: "pending" | "claimed" | "accepted" | "delivered" | "soft_failed" | "hard_bounced" | "skipped" | "failed" | "unknown"
  /** Null for a recipient who was not sent to. */
  outcome: "delivered" | "hard_bounced" | "soft_failed_only" | "no_terminal_event" | null
  /** Why the message was skipped, failed or is unknown. */
  reasons: string[]
  handed_off_at: string | null
  delivered_at: string | null
  soft_failed_at: string | null
  bounced_at: string | null
  opened_at: string | null
  clicked_at: string | null
  complained_at: string | null
  unsubscribed_at: string | null
}

export type CampaignRunRecipientsResponse = {
  recipients: CampaignRunRecipient[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type LastMessage = {
  audience_id: string
  /** Of the message of a campaign. */
  run_id: string | null
  campaign_id: string | null
  /** Of the email of an automation. */
  automation_id: string | null
  /** The result of the hand-off may still be unknown. */
  handed_off_at: string
}

export type LastMessagesResponse = {
  last_messages: LastMessage[]
}

/** Messages that were handed off, and those of them with this outcome so far. */
export type SendingTotals = {
  sent: number
  delivered: number
  hard_bounced: number
}

export type SendingOverviewResponse = {
  /** The beginning of the 7 days. */
  since: string
  campaigns: SendingTotals
  automations: SendingTotals
  runs_sending: number
  runs_scheduled: number
  next_runs: ({
    id: string
    campaign_id: string
    /** Of the draft version that was scheduled. */
    campaign_name: string
    scheduled_for: string
    included_count: number
  })[]
}

export type DescribedMessage = {
  message_id: string
  kind: "run" | "test_send" | "automation" | "confirmation"
  /** The run or the automation; of a test send or a confirmation, the message itself. */
  origin_id: string
  /** Of the draft version of the run. */
  campaign_name: string | null
  /** Null for a test to somebody who is no contact. */
  contact_id: string | null
  /** Of the message of a run and of a test send. */
  email: string | null
}

export type DescribedMessagesResponse = {
  messages: DescribedMessage[]
}

export type ContactMessage = {
  /** The message id that the provider carries. */
  id: string
  audience_id: string | null
  /** Of the content version, with its tokens. */
  subject: string
  /** Of the message of a campaign. */
  run_id: string | null
  campaign_id: string | null
  campaign_name: string | null
  /** Of the email of an automation. */
  automation_id: string | null
  enrollment_id: string | null
  state: "pending" | "claimed" | "accepted" | "delivered" | "soft_failed" | "hard_bounced" | "skipped" | "failed" | "unknown"
  /** Why the message was skipped, failed or is unknown. */
  reasons: string[]
  handed_off_at: string | null
  delivered_at: string | null
  bounced_at: string | null
  opened_at: string | null
  clicked_at: string | null
  complained_at: string | null
  unsubscribed_at: string | null
}

export type ContactMessagesResponse = {
  messages: ContactMessage[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type CampaignWebhookAttempt = {
  at: string
  /** Of the answer; null if there was none. */
  status: number | null
  /** Null if it was accepted. `address_forbidden`: the host name resolves to an address that is not public. `not_connected`, `no_answer`, `url_refused`, `secret_unreadable`, or `status_` and `redirect_` with the status. */
  error: string | null
  duration_ms: number
}

export type CampaignWebhookDelivery = {
  /** The `webhook-id`, the same for all attempts. */
  id: string
  type: "campaign_run.scheduled" | "campaign_run.started" | "campaign_run.paused" | "campaign_run.resumed" | "campaign_run.completed" | "campaign_run.cancelled" | "campaign_run.unscheduled" | "campaign_run.failed" | "campaign_webhook.test" | "person.bounced" | "person.complained" | "person.unsubscribed" | "person.consent_changed"
  /** Null for a test and for events about people. */
  campaign_run_id: string | null
  state: "pending" | "delivered" | "failed"
  /** Why there are no more attempts: `undelivered_for_24_hours`, `gone`, `webhook_disabled`, `webhook_removed`, `contact_erased`, or the error of a test. */
  failure_reason: string | null
  attempt_count: number
  attempts: CampaignWebhookAttempt[]
  occurred_at: string
  next_attempt_at: string | null
  settled_at: string | null
}

export type CampaignWebhookPersonEvents = {
  /** Whether the campaign webhook gets events about people. */
  enabled: boolean
}

export type CampaignWebhookState = {
  /** A URL and a secret are set, and the webhook is not disabled. */
  is_active: boolean
  disabled_at: string | null
  disabled_reason: "undelivered_for_24_hours" | "gone" | null
}

export type CampaignWebhookDeliveriesResponse = {
  deliveries: CampaignWebhookDelivery[]
  /** Null on the last page. */
  next_cursor: string | null
  webhook_state: CampaignWebhookState
}

export type CampaignWebhookTestResponse = {
  delivery: CampaignWebhookDelivery
}

/** The version of the document. */
export const versionOfApi = '2026-07-28'

/** Every operation by its id, with its input and the JSON or text of its success. */
export interface ConsoleOperations {
  /**
   * Get this OpenAPI document.
   *
   * The OpenAPI 3.1 document of the console's own operations.
   *
   * **Who may call it:** everybody with a valid credential. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getConsoleOpenapiDocument: {
    input: {

    }
    output: OpenapiDocument
  }
  /**
   * List the platform gates.
   *
   * Each with its environment ceiling, its stored switch and the effective value, which combines both. `ceiling` is null for a gate without one.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listPlatformGates: {
    input: {

    }
    output: GatesResponse
  }
  /**
   * Open or close a platform gate.
   *
   * Changes the stored switch, not the ceiling of the environment. Closing takes effect everywhere within seconds. An unknown gate is 404.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  setPlatformGate: {
    input: {
      /** The name of the gate. */
      name: string
      body: GateRequest
    }
    output: GateResponse
  }
  /**
   * List the audit log.
   *
   * Actions of users and jobs, in every workspace and on the platform, newest first. An action is listed within seconds, and a listed entry is never changed or removed.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listAuditEntries: {
    input: {
      /** Only this action, such as `contact_suppressed`. */
      action?: string
      /** The actor: a `wallet_user_id`, or the name of another actor as in the entries. */
      actor?: string
      /** Of this organization, by its slug. An unknown slug is 422. */
      organization?: string
      /** Of this workspace of it, by its slug. Needs `organization`. */
      workspace?: string
      /** Actions on objects of this kind, such as `campaign_run`. */
      subject_type?: string
      /** Actions on this object. */
      subject_id?: string
      /** At this time or later. */
      since?: string
      /** Before this time. */
      until?: string
      /** Actions of this request, by its `X-Correlation-ID`. */
      correlation_id?: string
      /** `next_cursor` of the previous page. Its filters must be given again. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: AuditLogResponse
  }
  /**
   * Export the audit log.
   *
   * All entries that match the filters, as JSON Lines, one entry a line as in the list, newest first, streamed. The export is itself audited. While two other exports are in progress it is 503. If the connection breaks off, lines are missing.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  exportAuditLog: {
    input: {
      /** Only this action, such as `contact_suppressed`. */
      action?: string
      /** The actor: a `wallet_user_id`, or the name of another actor as in the entries. */
      actor?: string
      /** Of this organization, by its slug. An unknown slug is 422. */
      organization?: string
      /** Of this workspace of it, by its slug. Needs `organization`. */
      workspace?: string
      /** Actions on objects of this kind, such as `campaign_run`. */
      subject_type?: string
      /** Actions on this object. */
      subject_id?: string
      /** At this time or later. */
      since?: string
      /** Before this time. */
      until?: string
      /** Actions of this request, by its `X-Correlation-ID`. */
      correlation_id?: string
    }
    output: string
  }
  /**
   * Export the audit log with its hash chain.
   *
   * Every sealed entry as it is stored, with its seal, as JSON Lines in the order of the chain. `make verify-audit-log` checks the file without the service. An entry is sealed within seconds. The export is itself audited. While two other exports are in progress it is 503. The last line is the end of the chain: without it the file is incomplete.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  exportAuditChain: {
    input: {
      /** Only entries after this position, to continue an earlier file. */
      after?: number
    }
    output: string
  }
  /**
   * Get the end of the audit log's hash chain.
   *
   * The newest seal. Its hash covers every sealed entry. Keep copies of it outside of the deployment: they show later whether the log was replaced.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getAuditLogHead: {
    input: {

    }
    output: AuditLogHeadResponse
  }
  /**
   * List operational alerts.
   *
   * Problems that an operator should look at, of every workspace and of the platform, newest first. The same alert raised again before it is acknowledged is counted on the existing one. Raised again after that, it is a new alert.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listAlerts: {
    input: {
      /** Only alerts of this name. */
      code?: string
      /** Only alerts of this severity. */
      severity?: "warning" | "critical"
      /** Whether an operator has acknowledged it. */
      acknowledged?: boolean
      /** Of this organization, by its slug. An unknown slug is 422. */
      organization?: string
      /** Of this workspace of it, by its slug. Needs `organization`. */
      workspace?: string
      /** `next_cursor` of the previous page. Its filters must be given again. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: AlertsResponse
  }
  /**
   * Acknowledge an alert.
   *
   * Records that you take care of it. Safe to repeat: the first user who acknowledged it, and the time, stay.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  acknowledgeAlert: {
    input: {
      alert_id: string
    }
    output: AlertResponse
  }
  /**
   * List dead letters.
   *
   * Events that a consumer could not handle, of every service, newest first, including those that were replayed or discarded since. Only ids, times and errors: personal data in the events is not shown. While one service is unavailable the list of all is 503, and those of the other services can be requested by name.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listDeadLetters: {
    input: {
      /** Only those whose consumer belongs to this service. */
      service?: "gateway" | "contacts-consent" | "sending-infra" | "campaigns-delivery" | "imports" | "automations" | "webhook-intake"
      /** Only those of this consumer, such as `on-message-settled`. */
      consumer?: string
      /** Only those in this state. `dead` means that an operator must decide. */
      state?: "dead" | "replaying" | "replayed" | "discarded"
      /** `next_cursor` of the previous page. Its filters must be given again. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: DeadLettersResponse
  }
  /**
   * Get a dead letter.
   *
   * One event that a consumer of this service could not handle.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getDeadLetter: {
    input: {
      /** The name of a service. */
      service: "gateway" | "contacts-consent" | "sending-infra" | "campaigns-delivery" | "imports" | "automations" | "webhook-intake"
      dead_letter_id: string
    }
    output: DeadLetterResponse
  }
  /**
   * Replay a dead letter.
   *
   * Gives the event to its consumer again, within seconds; the state shows the result. The effect happens at most once. An event that fails again is `dead` again, with its new error. Safe to repeat. A discarded event is 422.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  replayDeadLetter: {
    input: {
      /** The name of a service. */
      service: "gateway" | "contacts-consent" | "sending-infra" | "campaigns-delivery" | "imports" | "automations" | "webhook-intake"
      dead_letter_id: string
    }
    output: DeadLetterResponse
  }
  /**
   * Discard a dead letter.
   *
   * Records that the event shall never have its effect, and the reason. Final. Safe to repeat: the first reason stays. An event that was replayed, or is being replayed, is 422.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  discardDeadLetter: {
    input: {
      /** The name of a service. */
      service: "gateway" | "contacts-consent" | "sending-infra" | "campaigns-delivery" | "imports" | "automations" | "webhook-intake"
      dead_letter_id: string
      body: DiscardDeadLetterRequest
    }
    output: DeadLetterResponse
  }
  /**
   * List platform suppressions.
   *
   * Suppressions that apply to an address in every organization, of any workspace, resolved or not, newest first. The address is masked, and only the workspace sees the evidence.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listPlatformSuppressions: {
    input: {
      /** Of this complete address. The suppression of an erased address is found too while it is active. */
      email?: string
      /** For this reason. */
      reason?: SuppressionReason
      /** Whether it is still active. */
      state?: "unresolved" | "resolved"
      /** `next_cursor` of the previous page. Its filters must be given again. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: PlatformSuppressionsResponse
  }
  /**
   * Resolve a platform suppression.
   *
   * Recorded in the workspace that made it; you need not be a member there. Subscribes nobody, and other suppressions of the address stay active. Safe to repeat.
   *
   * **Who may call it:** an owner or administrator of the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  resolvePlatformSuppression: {
    input: {
      suppression_id: string
      body: PlatformSuppressionResolutionRequest
    }
    output: PlatformSuppressionResolvedResponse
  }
  /**
   * List operators.
   *
   * The members of this workspace, owners first.
   *
   * **Who may call it:** callers with the capability `manage_team_roles` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listOperators: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: OperatorsResponse
  }
  /**
   * Add an operator.
   *
   * Identified by the id of the identity wallet. The user need not have signed in before. Only an owner can add an owner. A user who is already an operator is 409.
   *
   * **Who may call it:** callers with the capability `manage_team_roles` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  addOperator: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: OperatorRequest
    }
    output: OperatorResponse
  }
  /**
   * Change the role of an operator.
   *
   * Applies from their next request on. Only an owner can add or change an owner. The role of the last owner of a workspace cannot be changed: 422.
   *
   * **Who may call it:** callers with the capability `manage_team_roles` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  setOperatorRole: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      wallet_user_id: string
      body: OperatorRoleRequest
    }
    output: OperatorResponse
  }
  /**
   * Remove an operator.
   *
   * Applies from their next request on. Their browser sessions and their other workspaces stay. Only an owner can remove an owner. The last owner of a workspace cannot be removed: 422. A user who is not an operator of this workspace is 404.
   *
   * **Who may call it:** callers with the capability `manage_team_roles` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  removeOperator: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      wallet_user_id: string
    }
    output: DeletedResponse
  }
  /**
   * List my browser sessions.
   *
   * Where the caller is signed in, the last used session first. `last_used_at` is written at most once a minute. A session ends 12 hours after its sign-in, or after 2 hours without a request.
   *
   * **Who may call it:** everybody with a valid credential. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listSessions: {
    input: {

    }
    output: SessionsResponse
  }
  /**
   * End another browser session.
   *
   * Ends another session of the caller at once. A session of somebody else, or one that has ended, is 404. The session of this request is 422; sign out to end it.
   *
   * **Who may call it:** everybody with a valid credential. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  endSession: {
    input: {
      session_id: string
    }
    output: DeletedResponse
  }
  /**
   * List the custom fields.
   *
   * The current version of each field, by key.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listContactFields: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: FieldDefinitionsResponse
  }
  /**
   * Delete an audience.
   *
   * Deletes its memberships. The consent record and suppressions stay. A 422 names a campaign that is not over, or an automation, that uses the audience. A very large audience can need several calls (503): it is archived at once, and each call continues where the last one stopped.
   *
   * **Who may call it:** callers with the capability `manage_audiences` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  deleteAudience: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      audience_id: string
    }
    output: DeletedResponse
  }
  /**
   * List the members of an audience by day.
   *
   * The active members at the end of each day of UTC, of the last 365 days, oldest first. The last entry is today, with the number of now. A day on which nothing was counted is left out.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listAudienceMemberDays: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      audience_id: string
    }
    output: AudienceMemberDaysResponse
  }
  /**
   * Get a contact with all details.
   *
   * Every field, its provenance (the newest 50 records), memberships, active suppressions, and the eligibility for each audience with every reason against it. `listLastMessages` has the time of the last email.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getContact: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
    }
    output: ContactProfileResponse
  }
  /**
   * Delete a contact.
   *
   * A contact that was ever suppressed, also if the suppression is resolved, or that is a recipient of any run, cannot be deleted: 422. The consent record stays without personal data.
   *
   * **Who may call it:** callers with the capability `delete_contacts` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  deleteContact: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
    }
    output: DeletedResponse
  }
  /**
   * Erase a contact.
   *
   * Removes every personal field of the contact from every service, whatever was sent to it. Rows of recipients, test sends and provider events stay by id, with counts and outcomes, and without any personal field: reports must add up, and an event that the provider repeats must be recognised. Suppressions of the address stay in force through a keyed hash, and so does a suppression of the workspace with reason `legal`: a new contact with this address is suppressed. The consent record stays and can still be proved. This cannot be undone. A repeated request returns the existing erasure.
   *
   * **Who may call it:** callers with the capability `delete_contacts` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  eraseContact: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
      body: EraseContactRequest
    }
    output: ErasureResponse
  }
  /**
   * Get an erasure.
   *
   * What each service has removed so far. The erasure is completed when every service has finished.
   *
   * **Who may call it:** callers with the capability `delete_contacts` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getErasure: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      erasure_id: string
    }
    output: ErasureResponse
  }
  /**
   * List contacts.
   *
   * Newest first. All filters must match. An audience or tag that does not exist in this workspace gives an empty list.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listContacts: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** A prefix of the address, first name, last name or company, ignoring letter case; or a whole domain after an `@`. */
      search?: string
      /** The name of a tag. If given more than once, contacts with any of these tags match. */
      tag?: string[]
      /** Contacts that ever had a membership or a consent event in this audience. */
      audience_id?: string
      /** Their current state in it; `under_review` are those whose consent a person has to decide about. Needs `audience_id`. */
      member_state?: "active" | "withdrawn" | "under_review"
      /** Whether a suppression of this workspace or of the platform is active, of any scope. */
      suppressed?: boolean
      /** Legacy contacts of this class. */
      legacy_consent_classification?: "documented" | "partial" | "undocumented"
      /** Created later than this. */
      created_after?: string
      /** Created earlier than this. */
      created_before?: string
      /** `next_cursor` of the previous page. Its filters must be given again. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: ContactsResponse
  }
  /**
   * List suppressions.
   *
   * Suppressions of this workspace, resolved or not, newest first. A platform suppression of another organization is not listed.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listSuppressions: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** A prefix of the address, or a whole domain after an `@`. */
      search?: string
      /** Of this scope. */
      scope?: "audience" | "workspace" | "platform"
      /** For this reason. */
      reason?: SuppressionReason
      /** Whether it is still active. */
      state?: "unresolved" | "resolved"
      /** Of this contact. */
      contact_id?: string
      /** `next_cursor` of the previous page. Its filters must be given again. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: SuppressionsResponse
  }
  /**
   * List the consent record.
   *
   * Newest recorded first, also of contacts that were deleted since. `evidence` is null if there was none or it was erased; `evidence_sha256` stays.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listConsentEvents: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** Of this contact. */
      contact_id?: string
      /** For this audience. */
      audience_id?: string
      /** The kind of the event. */
      kind?: "granted" | "withdrawn" | "suppressed" | "resolved"
      /** Recorded at this time or later. */
      since?: string
      /** Recorded before this time. */
      until?: string
      /** `next_cursor` of the previous page. Its filters must be given again. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: ConsentEventsResponse
  }
  /**
   * List audiences with their member counts.
   *
   * Oldest first; archived audiences are included and flagged.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listAudiencesWithCounts: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: CountedAudiencesResponse
  }
  /**
   * Create a subscription source with a credential.
   *
   * As in the public API, with a static credential, which only this answer shows. A taken slug is 409. A workspace has at most 200 sources: one more is 422.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createSubscriptionSourceWithCredential: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: SourceCreateRequest
    }
    output: SourceCredentialResponse
  }
  /**
   * Read since when a source has its credential.
   *
   * The moment and the issuer of the valid static credential, or null without one. Never shows the credential or its hash.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getSourceCredential: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
    }
    output: CurrentSourceCredentialResponse
  }
  /**
   * Rotate the credential of a source.
   *
   * Creates a new static credential, or the first one, and shows it only this time. The previous one is refused from now on. Grants do not change.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  rotateSourceCredential: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
    }
    output: SourceCredentialResponse
  }
  /**
   * Revoke the credential of a source.
   *
   * The static credential is refused from now on. Grants do not change. Safe to repeat.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  revokeSourceCredential: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
    }
    output: DeletedResponse
  }
  /**
   * Suspend, revoke or reactivate a source.
   *
   * Only an active source is accepted, with any credential. Every status can be changed to every other.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  setSourceStatus: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
      body: SourceStatusRequest
    }
    output: SourceResponse
  }
  /**
   * Read whether sign-ups of a source are confirmed by email.
   *
   * The email of confirmed opt-in, or null while it is off.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getSourceConfirmation: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
    }
    output: SourceConfirmationResponse
  }
  /**
   * Have sign-ups of a source confirmed by email.
   *
   * Confirmed opt-in (double opt-in). A sign-up that would be accepted is `review_required` with the reason `confirmation_pending`, and one email goes out, under the gates. The sign-up counts once the person presses the button of the page that the link in the email opens, within 7 days. The content must link to `{{ confirmation_url }}`. It applies to the sign-ups from now on.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  setSourceConfirmation: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
      body: SourceConfirmation
    }
    output: SourceConfirmationResponse
  }
  /**
   * Accept sign-ups of a source at once.
   *
   * Turns confirmed opt-in off for the sign-ups from now on. Those that wait for their confirmation can still be confirmed. Safe to repeat.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  removeSourceConfirmation: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
    }
    output: DeletedResponse
  }
  /**
   * List the receipts of a source.
   *
   * Every accepted event, newest first. Refused events leave no receipt.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listSourceReceipts: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: SourceReceiptsResponse
  }
  /**
   * Export a contact's consent proof.
   *
   * Everything that shows why the contact is eligible or not at this moment: verdicts with the basis of each reason, every consent event with its evidence and its seal, active suppressions, and a signed head over all of it. Save the answer and verify it with `make verify-consent FILE=…`. The record of a deleted contact can be exported by its id. Each export is in the audit log with the hashes. 422 when the record does not match its seals.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getConsentProof: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
    }
    output: ConsentProofResponse
  }
  /**
   * List the keys that sign consent proofs.
   *
   * Public keys with their fingerprints, for comparison with the fingerprint in a file. The first key signs now.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listConsentProofKeys: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: ConsentProofKeysResponse
  }
  /**
   * List the tags.
   *
   * The whole catalogue by name, each with its number of contacts.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listTags: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: TagsResponse
  }
  /**
   * Register a tag.
   *
   * A taken name is 409. Surrounding blanks are removed. Names that differ in letter case are different tags. A workspace has at most 10,000 tags, from any operation: one more is 422.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  registerTag: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: TagNameRequest
    }
    output: TagResponse
  }
  /**
   * Rename a tag.
   *
   * The name of another tag is 409: merge instead. Catalogue and contacts change at once: `is_complete` is always true, and `contacts_changed` is the number of contacts with the new name. Fires no automation trigger. Audited with that number.
   *
   * **Who may call it:** an owner of the workspace. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  renameTag: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      tag_id: string
      body: TagNameRequest
    }
    output: TagChangeResponse
  }
  /**
   * Merge a tag into another.
   *
   * The tag of the path ends, and its contacts get `into` instead, once. `into` is the name of the remaining tag, or its id. Catalogue and contacts change at once: `is_complete` is always true, and `contacts_changed` is the number of contacts that had the ended tag. With hundreds of thousands of contacts this can take longer than the request timeout (503); the merge continues after that. Fires no automation trigger. Audited with that number.
   *
   * **Who may call it:** an owner of the workspace. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  mergeTag: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      tag_id: string
      body: TagMergeRequest
    }
    output: TagChangeResponse
  }
  /**
   * Apply a tag to a contact.
   *
   * By name or id. A name that is not in the catalogue is registered. An unknown id is 422. The id of a merged tag resolves to the remaining tag. A contact has at most 50 tags: one more is 422. Fires `tag_added` if the contact did not have it; applying it again changes nothing.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  applyTag: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
      body: ContactTagRequest
    }
    output: ContactTagResponse
  }
  /**
   * Remove a tag from a contact.
   *
   * By name or id, also the id of a tag that was merged into it. Fires `tag_removed` if the contact had it; otherwise nothing changes. A tag that is not in the catalogue is 404.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  removeTag: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
      /** The name of the tag, or its id. */
      tag: string
    }
    output: DeletedResponse
  }
  /**
   * List the provider connections.
   *
   * Newest first, each with the result of its last check, its webhook URL and the domains that use it. Credentials are named, never shown.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listProviderConnections: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: ProviderConnectionsResponse
  }
  /**
   * Edit a provider connection.
   *
   * Changes the given fields. Another `credential_env_key` or `region` makes the connection unchecked and inactive, and its domains may not send until they are checked again. `webhook_signing_env_key` null clears it.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  updateProviderConnection: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      connection_id: string
      body: ProviderConnectionChanges
    }
    output: ProviderConnectionResponse
  }
  /**
   * Delete a provider connection.
   *
   * A 422 names the sending domain that uses it, or the campaign whose run is not over.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  deleteProviderConnection: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      connection_id: string
    }
    output: DeletedResponse
  }
  /**
   * List the sending domains.
   *
   * By name, each with its current state and the time of its next check.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listSendingDomains: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: SendingDomainsResponse
  }
  /**
   * Get one sending domain.
   *
   * With the DNS records that the provider requires and the evidence of the last check: question, server, answer and expectation.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getSendingDomain: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      domain_id: string
    }
    output: SendingDomainDetailsResponse
  }
  /**
   * Edit a sending domain.
   *
   * Changes the tracking domain and the notes; null clears either. The name of a domain never changes.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  updateSendingDomain: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      domain_id: string
      body: SendingDomainChanges
    }
    output: SendingDomainResponse
  }
  /**
   * Delete a sending domain.
   *
   * A 422 names a sender identity that uses it. Its checks are deleted with it. Nothing changes at the provider. The name belongs to the organization while another of its workspaces has it. After that any organization may add it.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  deleteSendingDomain: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      domain_id: string
    }
    output: DeletedResponse
  }
  /**
   * List the checks of a domain.
   *
   * Newest first, each with its evidence.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listDomainChecks: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      domain_id: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The number of entries of a page, 20 by default. */
      limit?: number
    }
    output: DomainChecksResponse
  }
  /**
   * List the sender identities.
   *
   * By from-address, each with the current state of its domain.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listSenderIdentities: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: SenderIdentitiesResponse
  }
  /**
   * Edit a sender identity.
   *
   * Changes the given fields. Another `from_address` must be of the same domain, and disables the sender until it is activated again. Another name or reply-to leaves it enabled.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  updateSenderIdentity: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      sender_id: string
      body: SenderIdentityChanges
    }
    output: SenderIdentityResponse
  }
  /**
   * Delete a sender identity.
   *
   * A 422 names a campaign that is not over, an automation, or a subscription source with confirmed opt-in, that uses this sender.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  deleteSenderIdentity: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      sender_id: string
    }
    output: DeletedResponse
  }
  /**
   * Turn production sending off.
   *
   * At once, also for runs that are sending: they are held and continue when sending is activated again. Safe to repeat.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  turnWorkspaceSendingOff: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: SendingOffResponse
  }
  /**
   * List templates.
   *
   * Newest first, archived templates included unless `archived` says otherwise, each with the number of its content versions.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listEmailTemplates: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** A part of the name, ignoring letter case. */
      search?: string
      /** Only archived templates, or only the others. */
      archived?: boolean
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: EmailTemplatesResponse
  }
  /**
   * Get one template.
   *
   * With a page of its content versions, the latest first and without their content.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getEmailTemplate: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      template_id: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: EmailTemplateVersionsResponse
  }
  /**
   * Get one content version.
   *
   * The content as it would be sent, and the warnings for its author. The HTML is a string in this JSON, not a page.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getContentVersion: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      content_version_id: string
    }
    output: StoredContentVersionResponse
  }
  /**
   * Get what a reader of one content version sees.
   *
   * Subject, HTML and plain text with values in the place of tokens, escaped as in a message. A contact that does not exist is 404. Links of this service lead nowhere.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  renderContentVersion: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      content_version_id: string
      /** What stands in the place of tokens: the tokens themselves, the defaults of the version, or sample values. */
      values?: "tokens" | "defaults" | "sample"
      /** A contact whose values are used instead. */
      contact_id?: string
    }
    output: RenderedContentResponse
  }
  /**
   * List test sends.
   *
   * Newest first, those of rehearsals included, each with the state of its call to the provider and its events.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listTestSends: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: TestSendsResponse
  }
  /**
   * List controlled rehearsals.
   *
   * Newest first, each with its event counts and its reconciliation so far.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listRehearsals: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: RehearsalsResponse
  }
  /**
   * List launch preflights.
   *
   * Newest first, each with its checks, its checksum, and the checks whose status changed since the report before.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listPreflights: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: PreflightsResponse
  }
  /**
   * Create a draft for several audiences.
   *
   * Creates the first immutable version. A contact in several of the audiences gets one message. Contacts that the tag filter excludes are in no count of a run. Schedules and sends nothing.
   *
   * **Who may call it:** callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createTargetedCampaignDraft: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: TargetedCampaignDraftRequest
    }
    output: DetailedCampaignResponse
  }
  /**
   * Append a draft version.
   *
   * The new version is complete and immutable and becomes the current one. Earlier versions stay. Only while the campaign is a draft, else 422. 409 if `expected_version` is not the current version.
   *
   * **Who may call it:** callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createTargetedCampaignDraftVersion: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      campaign_id: string
      body: TargetedCampaignDraftVersionRequest
    }
    output: DetailedCampaignResponse
  }
  /**
   * List campaigns.
   *
   * Newest first, each with its current draft version.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listCampaigns: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** Only campaigns of this status. */
      status?: "draft" | "scheduled" | "sending" | "sent" | "cancelled"
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: CampaignsResponse
  }
  /**
   * Get one campaign.
   *
   * Includes its newest 100 versions and its newest 100 runs, newest first.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getCampaign: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      campaign_id: string
    }
    output: DetailedCampaignWithRunsResponse
  }
  /**
   * Delete a campaign.
   *
   * Only a campaign that never sent anything and is not going to. A run that is live or has started is 422 and is named. A deleted campaign is 404 for everybody.
   *
   * **Who may call it:** callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  deleteCampaign: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      campaign_id: string
    }
    output: DeletedResponse
  }
  /**
   * Get how many unknown messages of a run can be resent.
   *
   * `resendable` is the count that a resend of this run needs now. A resend that was cancelled before it reached anybody changes neither number.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getCampaignRunUnknown: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
    }
    output: CampaignRunUnknownResponse
  }
  /**
   * Resend the unknown messages of a run.
   *
   * Recipients may get the email twice, because the provider may already have an unknown message. Find the messages in the provider's log first. Only this operation sends them again, with the exact phrase and the exact number of recipients: `resendable` in the unknown messages of the run. It creates a new run of the same content and sender, due now, for exactly these recipients. At delivery the eligibility of every recipient is checked again: recipients who withdrew, were suppressed, or were reached by another run within the minimum interval of the audience are skipped. The old run and its `unknown` do not change; `resends_run_id` and `resent_by_run_id` link the two. The old run must be completed, cancelled or failed, no other run of the campaign may be live, and every condition of scheduling must be met, else 422. Recipients who were skipped or failed in the new run can be sent to again from the old one. Messages that are unknown in the new run are sent again from the new one. The new run can be cancelled, but not unscheduled. A repeated key returns the run that it created.
   *
   * **Who may call it:** callers with the capability `schedule_campaign` (roles owner, brand_admin, editor). **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  resendCampaignRunUnknown: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
      body: ResendCampaignRunUnknownRequest
      /** One key for each intended action; see `idempotencyKey()`. */
      idempotency_key: string
    }
    output: CampaignRunResponse
  }
  /**
   * Publish an automation.
   *
   * Possible when the current version is marked as ready for review, and for a paused automation; otherwise 422. Also 422 while the version names an audience, tag, field, content version or sender that cannot be used any more. From then on its trigger enrols contacts, and contacts that were held move on. A trigger that fired before enrols nobody. Contacts of earlier versions finish the version in which they were enrolled. Possible in archived workspaces too. 409 if `expected_version` is not the current version. Audited.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  publishAutomation: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
      body?: AutomationPublicationRequest
    }
    output: AutomationResponse
  }
  /**
   * Pause an automation.
   *
   * Possible only for a published automation; otherwise 422. Nobody is enrolled any more, and contacts who are in it stay where they are until it is published again. A step under way is finished. Audited.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  pauseAutomation: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
    }
    output: AutomationResponse
  }
  /**
   * List the people in an automation.
   *
   * Real and synthetic enrollments, newest first, each with the address of its contact.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listEnrolledContacts: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of enrollments of a page. */
      limit?: number
    }
    output: EnrolledContactsResponse
  }
  /**
   * List the enrollments of a contact.
   *
   * Real and synthetic, newest first, each with where the contact is or how it ended. Empty for a contact that does not exist.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listContactEnrollments: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of enrollments of a page. */
      limit?: number
    }
    output: ContactEnrollmentsResponse
  }
  /**
   * Read the counts of a version.
   *
   * The enrollments of the version by state, real and synthetic, and for each node the contacts who are there and the finished steps by their result. A repeated step counts again. The counts are kept while steps are done, so a read costs the same for any number of contacts.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getAutomationVersionCounts: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
      version_id: string
    }
    output: AutomationVersionCountsResponse
  }
  /**
   * Run a synthetic enrollment with a virtual clock.
   *
   * Follows a synthetic contact through this version to the end at once, whatever the status of the automation. The clock begins at `starts_at`, and a wait moves it to the end of the wait. Emails and effects are simulated: later decisions of the run see the effects, and the contact does not change. So the same version, contact and beginning give the same timeline each time. The conditions are those of createSyntheticEnrollment: a synthetic workspace outside of production, and a contact under `.invalid` that is bound to the same rehearsal. 422 for an archived automation, and 409 while the platform automation switch is off. A run stops after 100 years. A repeated key returns the original. Audited.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  runSyntheticEnrollment: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
      version_id: string
      body: SyntheticRunRequest
      /** One key for each intended action; see `idempotencyKey()`. */
      idempotency_key: string
    }
    output: EnrollmentResponse
  }
  /**
   * List provider events.
   *
   * Newest first, deduplicated, each with its stored facts: ids, kind, times and the checksum of its body. The body itself is not stored.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listProviderEvents: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** Only events of this kind. */
      event?: "accepted" | "delivered" | "failed" | "opened" | "clicked" | "unsubscribed" | "complained"
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: ProviderEventsResponse
  }
  /**
   * List campaign runs.
   *
   * Newest first, each with its results so far.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listCampaignRuns: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** Only runs in this state. */
      state?: "scheduled" | "sending" | "paused" | "completed" | "unscheduled" | "cancelled" | "failed"
      /** Only runs of this campaign. */
      campaign_id?: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: CampaignRunsResponse
  }
  /**
   * Get what was sent in 7 days, and the next runs.
   *
   * Totals of the emails that runs handed off in the last 7 days, whenever the run started, and of the automation steps that began in them, without tests and confirmations. `next_runs` has the next five scheduled runs, the earliest first.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getSendingOverview: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: SendingOverviewResponse
  }
  /**
   * Get the origins and recipients of messages.
   *
   * In no order. A message that this workspace does not have is left out.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  describeMessages: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The id of a message, once for each message. */
      message_id: string[]
    }
    output: DescribedMessagesResponse
  }
  /**
   * Get the timeline of a campaign run.
   *
   * The number of recipients for each kind of event, by minute or hour. A recipient is counted at the first event of a kind, by the provider's clock. Hand-offs use our clock. Times without events are left out.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getCampaignRunTimeline: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
      /** If absent, minutes for the first day of a run and hours after that. */
      bucket?: "minute" | "hour"
    }
    output: CampaignRunTimelineResponse
  }
  /**
   * List the recipients of a campaign run.
   *
   * By address, each with the state of its message and the reasons. All filters must match.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listCampaignRunRecipients: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
      /** Only messages in this state. */
      state?: "pending" | "claimed" | "accepted" | "delivered" | "soft_failed" | "hard_bounced" | "skipped" | "failed" | "unknown"
      /** Only messages that were sent and have this outcome. */
      outcome?: "delivered" | "hard_bounced" | "soft_failed_only" | "no_terminal_event"
      /** Only recipients with this reason. */
      reason?: string
      /** Only addresses with this prefix. */
      search?: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: CampaignRunRecipientsResponse
  }
  /**
   * Export the recipients of a campaign run.
   *
   * All recipients that match the filters, as CSV in UTF-8 with a header row, streamed. Cells that a spreadsheet would read as a formula begin with an apostrophe. If the connection breaks off, rows are missing.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  exportCampaignRunRecipients: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
      /** Only messages in this state. */
      state?: "pending" | "claimed" | "accepted" | "delivered" | "soft_failed" | "hard_bounced" | "skipped" | "failed" | "unknown"
      /** Only messages that were sent and have this outcome. */
      outcome?: "delivered" | "hard_bounced" | "soft_failed_only" | "no_terminal_event"
      /** Only recipients with this reason. */
      reason?: string
      /** Only addresses with this prefix. */
      search?: string
    }
    output: string
  }
  /**
   * List the last message to a contact for each audience.
   *
   * For each audience for which a run or an automation sent to the contact, the newest message; newest first, at most 100 audiences. Test sends do not count. Empty for a contact without messages, and for one that does not exist.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listLastMessages: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
    }
    output: LastMessagesResponse
  }
  /**
   * List the messages to a contact.
   *
   * The messages of campaigns and automations, newest first, each with its state. Test sends, and runs that were taken back before they began, are left out. Empty for a contact that does not exist.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listContactMessages: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of messages of a page. */
      limit?: number
    }
    output: ContactMessagesResponse
  }
  /**
   * Post a test event to the campaign webhook.
   *
   * Posts one event of type `campaign_webhook.test` now, signed like all others, and returns the result. There is one attempt, also while the webhook is disabled. Without a URL and a secret it is 422.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `external checks`:** asks the mail provider or DNS, and mails nobody.
   */
  testCampaignWebhook: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: CampaignWebhookTestResponse
  }
  /**
   * Read whether the campaign webhook gets events about people.
   *
   * Off by default.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getCampaignWebhookPersonEvents: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: CampaignWebhookPersonEvents
  }
  /**
   * Choose whether the campaign webhook gets events about people.
   *
   * `person.bounced`, `person.complained`, `person.unsubscribed` and `person.consent_changed`, with ids and no address, beside the state changes of runs. It applies from now on, also before a URL is set.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  setCampaignWebhookPersonEvents: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: CampaignWebhookPersonEvents
    }
    output: CampaignWebhookPersonEvents
  }
  /**
   * List deliveries of the campaign webhook.
   *
   * Newest first, each with its attempts, and whether events are posted at all. Setting a disabled webhook again enables it.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listCampaignWebhookDeliveries: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** `next_cursor` of the previous page. */
      cursor?: string
      /** The maximum number of entries of a page. */
      limit?: number
    }
    output: CampaignWebhookDeliveriesResponse
  }
}

/** How each operation is requested. */
export const routes: Record<keyof ConsoleOperations, Route> = {
  getConsoleOpenapiDocument: { method: "GET", path: "/console/api/openapi.json" },
  listPlatformGates: { method: "GET", path: "/console/api/platform/gates" },
  setPlatformGate: { method: "PUT", path: "/console/api/platform/gates/{name}", body: "json" },
  listAuditEntries: { method: "GET", path: "/console/api/platform/audit-log", query: ["action","actor","organization","workspace","subject_type","subject_id","since","until","correlation_id","cursor","limit"] },
  exportAuditLog: { method: "GET", path: "/console/api/platform/audit-log/export", query: ["action","actor","organization","workspace","subject_type","subject_id","since","until","correlation_id"], answer: "text" },
  exportAuditChain: { method: "GET", path: "/console/api/platform/audit-log/chain", query: ["after"], answer: "text" },
  getAuditLogHead: { method: "GET", path: "/console/api/platform/audit-log/head" },
  listAlerts: { method: "GET", path: "/console/api/platform/alerts", query: ["code","severity","acknowledged","organization","workspace","cursor","limit"] },
  acknowledgeAlert: { method: "POST", path: "/console/api/platform/alerts/{alert_id}/acknowledge" },
  listDeadLetters: { method: "GET", path: "/console/api/platform/dead-letters", query: ["service","consumer","state","cursor","limit"] },
  getDeadLetter: { method: "GET", path: "/console/api/platform/dead-letters/{service}/{dead_letter_id}" },
  replayDeadLetter: { method: "POST", path: "/console/api/platform/dead-letters/{service}/{dead_letter_id}/replay" },
  discardDeadLetter: { method: "POST", path: "/console/api/platform/dead-letters/{service}/{dead_letter_id}/discard", body: "json" },
  listPlatformSuppressions: { method: "GET", path: "/console/api/platform/suppressions", query: ["email","reason","state","cursor","limit"] },
  resolvePlatformSuppression: { method: "POST", path: "/console/api/platform/suppressions/{suppression_id}/resolve", body: "json" },
  listOperators: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/operators" },
  addOperator: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/operators", body: "json" },
  setOperatorRole: { method: "PATCH", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/operators/{wallet_user_id}", body: "json" },
  removeOperator: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/operators/{wallet_user_id}" },
  listSessions: { method: "GET", path: "/console/api/me/sessions" },
  endSession: { method: "DELETE", path: "/console/api/me/sessions/{session_id}" },
  listContactFields: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contact-field-definitions" },
  deleteAudience: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences/{audience_id}" },
  listAudienceMemberDays: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences/{audience_id}/member-days" },
  getContact: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}" },
  deleteContact: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}" },
  eraseContact: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/erase", body: "json" },
  getErasure: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/erasures/{erasure_id}" },
  listContacts: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts", query: ["search","tag","audience_id","member_state","suppressed","legacy_consent_classification","created_after","created_before","cursor","limit"] },
  listSuppressions: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/suppressions", query: ["search","scope","reason","state","contact_id","cursor","limit"] },
  listConsentEvents: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/consent-events", query: ["contact_id","audience_id","kind","since","until","cursor","limit"] },
  listAudiencesWithCounts: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences" },
  createSubscriptionSourceWithCredential: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources", body: "json" },
  getSourceCredential: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/credential" },
  rotateSourceCredential: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/credential" },
  revokeSourceCredential: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/credential" },
  setSourceStatus: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/status", body: "json" },
  getSourceConfirmation: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/confirmation" },
  setSourceConfirmation: { method: "PUT", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/confirmation", body: "json" },
  removeSourceConfirmation: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/confirmation" },
  listSourceReceipts: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/receipts", query: ["cursor","limit"] },
  getConsentProof: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/consent-proof" },
  listConsentProofKeys: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/consent-proof-keys" },
  listTags: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/tags" },
  registerTag: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/tags", body: "json" },
  renameTag: { method: "PATCH", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/tags/{tag_id}", body: "json" },
  mergeTag: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/tags/{tag_id}/merge", body: "json" },
  applyTag: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/tags", body: "json" },
  removeTag: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/tags/{tag}" },
  listProviderConnections: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/provider-connections" },
  updateProviderConnection: { method: "PATCH", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/provider-connections/{connection_id}", body: "json" },
  deleteProviderConnection: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/provider-connections/{connection_id}" },
  listSendingDomains: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains" },
  getSendingDomain: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains/{domain_id}" },
  updateSendingDomain: { method: "PATCH", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains/{domain_id}", body: "json" },
  deleteSendingDomain: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains/{domain_id}" },
  listDomainChecks: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains/{domain_id}/checks", query: ["cursor","limit"] },
  listSenderIdentities: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sender-identities" },
  updateSenderIdentity: { method: "PATCH", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sender-identities/{sender_id}", body: "json" },
  deleteSenderIdentity: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sender-identities/{sender_id}" },
  turnWorkspaceSendingOff: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-off" },
  listEmailTemplates: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/email-templates", query: ["search","archived","cursor","limit"] },
  getEmailTemplate: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/email-templates/{template_id}", query: ["cursor","limit"] },
  getContentVersion: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/content-versions/{content_version_id}" },
  renderContentVersion: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/content-versions/{content_version_id}/rendered", query: ["values","contact_id"] },
  listTestSends: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/test-sends", query: ["cursor","limit"] },
  listRehearsals: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/rehearsals", query: ["cursor","limit"] },
  listPreflights: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/preflights", query: ["cursor","limit"] },
  createTargetedCampaignDraft: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-drafts", body: "json" },
  createTargetedCampaignDraftVersion: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-drafts/{campaign_id}/versions", body: "json" },
  listCampaigns: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaigns", query: ["status","cursor","limit"] },
  getCampaign: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaigns/{campaign_id}" },
  deleteCampaign: { method: "DELETE", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaigns/{campaign_id}" },
  getCampaignRunUnknown: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/unknown" },
  resendCampaignRunUnknown: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/resend-unknown", body: "json", takesKey: true },
  publishAutomation: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/publish", body: "json" },
  pauseAutomation: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/pause" },
  listEnrolledContacts: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/enrollments", query: ["cursor","limit"] },
  listContactEnrollments: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/enrollments", query: ["cursor","limit"] },
  getAutomationVersionCounts: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/versions/{version_id}/counts" },
  runSyntheticEnrollment: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/versions/{version_id}/synthetic-runs", body: "json", takesKey: true },
  listProviderEvents: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/provider-events", query: ["event","cursor","limit"] },
  listCampaignRuns: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs", query: ["state","campaign_id","cursor","limit"] },
  getSendingOverview: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-overview" },
  describeMessages: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/messages", query: ["message_id"] },
  getCampaignRunTimeline: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/timeline", query: ["bucket"] },
  listCampaignRunRecipients: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/recipients", query: ["state","outcome","reason","search","cursor","limit"] },
  exportCampaignRunRecipients: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/recipients.csv", query: ["state","outcome","reason","search"], answer: "text" },
  listLastMessages: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/last-messages" },
  listContactMessages: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/messages", query: ["cursor","limit"] },
  testCampaignWebhook: { method: "POST", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-webhook/test" },
  getCampaignWebhookPersonEvents: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-webhook/person-events" },
  setCampaignWebhookPersonEvents: { method: "PUT", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-webhook/person-events", body: "json" },
  listCampaignWebhookDeliveries: { method: "GET", path: "/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-webhook/deliveries", query: ["cursor","limit"] },
}
