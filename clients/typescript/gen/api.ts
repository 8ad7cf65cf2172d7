// Made by `make proto` from services/gateway/openapi; a test checks that it is current. Do not edit.
import type { Route } from '../src/route.ts'

export type Health = {
  status: string
  service: string
  /** The role of the answering process. */
  role: string
  /** The effective platform gate. */
  production_sending_enabled: boolean
}

export type Readiness = {
  status: string
  database: "ok" | "unavailable"
}

/** An OpenAPI 3.1 document. */
export type OpenapiDocument = {
  /** Must be a version of OpenAPI 3.1. */
  openapi: string
  info: Record<string, unknown>
  paths: Record<string, unknown>
  components: Record<string, unknown>
}

export type PreferenceUnsubscribeResponse = {
  unsubscribed: boolean
  scope: "audience" | "workspace"
}

/** The id of each audience with the choice for its subscription. */
export type PreferenceChoices = Record<string, "keep" | "leave">

export type PreferenceChoicesResponse = {
  /** The audiences marked `leave` that the recipient is no longer subscribed to, by this or an earlier request. */
  left: ({
    audience_id: string
    audience_name: string
  })[]
}

export type ConfirmationResponse = {
  /** Whether the sign-up is confirmed, by this or an earlier request. */
  confirmed: boolean
  state: "confirmed" | "expired" | "withdrawn" | "refused" | "gone"
}

export type ProviderEventEnvelope = {
  signature: ProviderEventSignature
  "event-data": ProviderEventData
}

export type ProviderEventSignature = {
  /** Unix time in seconds. */
  timestamp: string
  token: string
  /** HMAC-SHA256 of timestamp and token, lowercase hex. */
  signature: string
}

export type ProviderEventData = {
  id: string
  event: "accepted" | "delivered" | "failed" | "opened" | "clicked" | "unsubscribed" | "complained"
  /** Unix time in seconds with decimals. */
  timestamp: number
}

/** The envelope as form fields, each a JSON string. */
export type ProviderEventForm = {
  signature: Blob
  "event-data": Blob
}

export type ProviderEventReceipt = {
  status: "processed" | "duplicate"
  /** Our id of the event, the same on duplicates. */
  id: string
}

export type User = {
  wallet_user_id: string
  username: string | null
  identity_type: "human" | "agent"
  platform_role: "owner" | "administrator" | null
}

export type Role = "owner" | "brand_admin" | "editor" | "analyst"

export type Membership = {
  /** The slug of the organization. */
  organization: string
  /** The slug of the workspace. */
  workspace: string
  role: Role
  is_archived: boolean
}

export type IdentityResponse = {
  user: User
  auth_method: "bearer" | "session" | "service"
  /** Null unless `auth_method` is session. */
  csrf_token: string | null
  workspaces: Membership[]
}

export type WorkspaceListItem = {
  /** The slug of the organization. */
  organization: string
  /** The slug of the workspace. */
  workspace: string
  name: string
  role: Role
  is_archived: boolean
  production_sending_enabled: boolean
}

export type WorkspacesResponse = {
  workspaces: WorkspaceListItem[]
}

export type Workspace = {
  /** The slug of the organization. */
  organization: string
  /** The slug of the workspace. */
  workspace: string
  name: string
  role: Role
  is_archived: boolean
  production_sending_enabled: boolean
  capabilities: Capability[]
}

export type Capability = "view" | "upsert_contacts" | "delete_contacts" | "approve_imports" | "edit_content" | "edit_automations" | "send_test" | "schedule_campaign" | "manage_senders" | "pause_delivery" | "resolve_suppressions" | "manage_subscription_sources" | "manage_team_roles" | "manage_audiences"

export type ActivateSendingRequest = {
  confirmation: "ACTIVATE PRODUCTION SENDING"
  /** An operator has reviewed the provider's quota. */
  quota_reviewed: true
}

export type ActivateSendingResponse = {
  workspace: {
    id: string
    production_sending_enabled: boolean
  }
}

export type EligibilityReason = "workspace_archived" | "audience_archived" | "contact_missing" | "suppressed_platform" | "suppressed_workspace" | "suppressed_audience" | "consent_missing" | "consent_withdrawn" | "consent_under_review" | "confirmation_pending" | "legacy_consent_unverified" | "not_subscribed" | "minimum_interval_not_elapsed"

/** Free text is in `evidence`. */
export type SuppressionReason = "hard_bounce" | "complaint" | "unsubscribe" | "manual" | "import" | "legal" | "other"

export type Uuid = string

/** Must be lowercase letters and digits, in words joined by single hyphens, such as spring-sale. */
export type Slug = string

export type EmailAddress = string

export type Tag = string

export type OptionalText = string | null

export type Contact = {
  id: string
  email: string
  /** Trimmed, lower case, domain in punycode. Unique in a workspace. */
  normalized_email: string
  first_name: string | null
  last_name: string | null
  company: string | null
  /** ISO 3166-1 alpha-2. */
  country_code: string | null
  /** Null if the contact is not a legacy contact. Of legacy contacts only `documented` is eligible. */
  legacy_consent_classification: "documented" | "partial" | "undocumented" | null
  tags: string[]
  /** By field key. */
  custom_fields: Record<string, unknown>
}

export type ContactUpsertRequest = {
  email: EmailAddress
  source: string
  first_name?: string | null
  last_name?: string | null
  company?: string | null
  /** ISO 3166-1 alpha-2. Must be a country code of two letters, such as GB. */
  country_code?: string | null
  locale?: OptionalText
  phone?: OptionalText
  timezone?: OptionalText
  /** Merged by key; null clears a key. All custom fields of a contact together are at most 65,536 characters of JSON. */
  custom_fields?: Record<string, unknown>
  /** Removing the legacy mark of a contact is allowed, and audited. */
  is_legacy?: boolean
  /** `captured_at`, which must be in the past, `source` and `wording` together document a legacy consent. At most 16,384 characters of JSON. */
  legacy_consent_evidence?: Record<string, unknown>
  source_identifier?: string
  /** At most 16,384 characters of JSON. */
  source_metadata?: Record<string, unknown>
  source_workspace?: string
  /** The whole list. */
  tags?: Tag[]
}

export type ContactUpsertResponse = {
  contact: Contact
  created: boolean
}

export type ContactResponse = {
  contact: Contact
}

export type FieldType = "text" | "long_text" | "integer" | "decimal" | "boolean" | "date" | "datetime" | "single_choice" | "multiple_choice" | "url"

export type FieldDefinitionRequest = {
  /** Must be lowercase letters, digits and underscores, beginning with a letter, at most 100 characters, such as shoe_size. */
  field_key: string
  label: string
  field_type: FieldType
  options?: string[]
}

export type FieldDefinitionResponse = {
  field_definition: {
    id: string
    field_key: string
    field_type: FieldType
    version: number
  }
}

export type AudienceCreateRequest = {
  name: string
  slug: Slug
  purpose: string
  minimum_interval_seconds?: number
}

export type AudienceCreateResponse = {
  audience: {
    id: string
    slug: string
  }
}

export type AudiencesResponse = {
  audiences: ({
    id: string
    name: string
    slug: string
    is_archived: boolean
  })[]
}

export type AudienceResponse = {
  audience: {
    id: string
    name: string
    slug: string
    purpose: string
    is_archived: boolean
    active_member_count: number
  }
}

export type ArchiveResponse = {
  archived: boolean
}

export type SubscribeRequest = {
  contact_id: Uuid
  source: string
  wording_version: string
  /** At most 16,384 characters of JSON. */
  evidence?: Record<string, unknown>
  form_identifier?: string
  source_application?: string
}

export type SubscribeResponse = {
  subscribed: boolean
  consent_event_id: string
}

export type UnsubscribeRequest = {
  contact_id: Uuid
  source?: string
}

export type UnsubscribeResponse = {
  unsubscribed: boolean
  scope: "audience"
}

export type SuppressRequest = {
  scope: "audience" | "workspace" | "platform"
  reason: SuppressionReason
  audience_id?: Uuid
  /** At most 16,384 characters of JSON. */
  evidence?: Record<string, unknown>
  source?: string
}

export type SuppressResponse = {
  suppressed: boolean
  suppression_id: string
}

export type ResolveSuppressionRequest = {
  resolution_reason: string
}

export type ResolveSuppressionResponse = {
  resolved: boolean
}

export type EligibilityResponse = {
  eligibility: {
    eligible: boolean
    /** Every reason that applies, in this order. Empty means eligible. */
    reasons: EligibilityReason[]
    contact_id: string
    audience_id: string
    workspace_id: string
    evaluated_at: string
  }
}

export type PreferenceTokenRequest = {
  scope: "audience" | "workspace"
  audience_id?: Uuid
}

export type PreferenceTokenResponse = {
  preference_url: string
  one_click_url: string
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

export type SourcesResponse = {
  sources: Source[]
}

export type SourceOriginsRequest = {
  allowed_origins: AllowedOrigins
}

export type SourceAudiencesResponse = {
  schema_version: "service.subscription-source-audiences.v1"
  source_id: string
  audiences: ({
    id: string
    name: string
    slug: string
  })[]
}

export type SourceEventRequest = {
  schema_version: "service.subscription-source-event.v1"
  source_event_id: Uuid
  destination_audience_id: Uuid
  contact: SourceEventContact
  consent_granted: true
  /** At most 5 minutes ahead. */
  captured_at: string
  consent: SourceEventConsent
  source: SourceEventOrigin
}

export type SourceEventContact = {
  email: EmailAddress
  first_name?: string
  last_name?: string
  locale?: string
}

export type SourceEventConsent = {
  wording_id: string
  /** Must be a SHA-256 in 64 lowercase hexadecimal digits. */
  wording_sha256: string
  privacy_policy_url: string
  privacy_policy_version: string
}

export type SourceEventOrigin = {
  form_id: string
  form_version: string
  /** One of the source's allowed origins. */
  page_origin: string
  evidence_schema_version: "app.newsletter-consent-capture.v1"
  popup_campaign_id?: string | null
  popup_version?: number | null
  /** Stored with the receipt. */
  attribution?: Record<string, unknown>
  /** Stored with the receipt. */
  page_path?: string
}

export type SourceEventResponse = {
  schema_version: "service.subscription-source-result.v1"
  source_event_id: string
  receipt_id: string
  consent_event_id: string
  status: "accepted" | "duplicate" | "review_required" | "suppressed"
  audience_membership_active: boolean
  reason_class: "review_legacy_contact" | "review_consent_conflict" | "confirmation_pending" | "suppressed_platform" | "suppressed_workspace" | "suppressed_audience" | null
  /** Null unless `status` is duplicate. */
  original_status: "accepted" | "review_required" | "suppressed" | null
  /** Of this request. */
  correlation_id: string
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

export type EmailTemplateRequest = {
  name: string
  slug: Slug
  description?: string
}

export type EmailTemplateResponse = {
  email_template: {
    id: string
    name: string
    slug: string
  }
}

export type EmailTemplateArchiveRequest = {
  /** True if absent. */
  archived?: boolean
}

export type EmailTemplateArchiveResponse = {
  email_template: {
    id: string
    archived: boolean
  }
}

export type ContentVersionRequest = {
  subject: string
  html: string
  preheader?: string
  /** Generated from the HTML if absent. */
  plain_text?: string
  /** By token name; used for a contact without a value. */
  personalization_defaults?: Record<string, string>
  /** The version that the author began with, 0 for the first one. 409 if another one is the latest. Without it nothing is compared. */
  expected_version?: number
}

export type ContentVersionResponse = {
  content_version: {
    id: string
    template_id: string
    version: number
    validation: ContentValidation
  }
}

export type CampaignDraftRequest = {
  name: string
  audience_id: Uuid
  sender_identity_id: Uuid
  content_version_id: Uuid
  notes?: string
}

export type Campaign = {
  id: string
  status: "draft" | "scheduled" | "sending" | "sent" | "cancelled"
  current_version: number
  draft: {
    id: string
    version: number
    name: string
    /** Set only when exactly one audience is targeted. */
    audience_id: string | null
    /** Authoritative. */
    audience_ids: string[]
    sender_identity_id: string
    content_version_id: string
  }
}

export type CampaignResponse = {
  campaign: Campaign
}

export type ScheduleRequest = {
  /** With a timezone and in the future. */
  scheduled_for: string
  /** The draft version that the user saw. 409 if another one is current. Without it nothing is compared. */
  expected_version?: number
}

export type CampaignReport = {
  /** Accepted by the provider; the sum of the next four. */
  sent: number
  delivered: number
  hard_bounced: number
  soft_failed_only: number
  no_terminal_event: number
  /** Raw provider events by kind; may exceed `sent`. */
  events: Counts
  /** Inferred from the times of suppressions. Null if the run never started. */
  unsubscribes_attributed: number | null
  /** Percent with two decimals; null when `sent` is zero. */
  delivery_rate: number | null
  /** Percent with two decimals; null when `sent` is zero. */
  bounce_rate: number | null
  opened_recipients: number
  clicked_recipients: number
  complained: number
  /** Ineligible at delivery. */
  skipped: number
  skip_reasons: Counts
  /** The provider may have them; never sent again automatically. */
  unknown: number
  failed: number
  started_at: string | null
  completed_at: string | null
  /** What holds the run now: the closed gate, `workspace_sending`, or a part of its sender, which is `sender_identity`, `sending_domain` or `provider_connection`. */
  held_by: string | null
  /** While a run that paused itself is paused, its numbers; else null. */
  paused_by: PausedBy | null
}

/** `count` of `settled` is `rate` per cent, which is more than `limit`. */
export type PausedBy = {
  rule: "complaint_rate" | "hard_bounce_rate" | "refused_rate"
  /** Recipients delivered to or hard bounced, since an operator last resumed the run after such a pause. For `refused_rate`, recipients of one batch who were tried one at a time. */
  settled: number
  /** Of them, those who complained, hard bounced or were refused by the provider. */
  count: number
  /** Percent with two decimals, and more if two would not show that it is more than the limit. */
  rate: number
  /** Percent; the setting of this installation. */
  limit: number
}

export type CampaignReportResponse = {
  campaign_run: CampaignRun
  report: CampaignReport
}

export type ProviderEventReplayResponse = {
  provider_event: {
    id: string
    processing_state: string
    event_type: string
  }
}

export type CampaignWebhookRequest = {
  campaign_webhook_url?: string | null
  /** `whsec_` and 24 to 64 bytes in base64. Never returned. Must be whsec_ and 24 to 64 random bytes in base64. */
  campaign_webhook_secret?: string | null
}

export type CampaignWebhookResponse = {
  campaign_webhook: {
    url: string | null
    secret_set: boolean
  }
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

export type TestSendRequest = {
  sender_identity_id: Uuid
  content_version_id: Uuid
  recipient_email: EmailAddress
  confirmation: "SEND TEST EMAIL"
}

export type TestSendResponse = {
  test_send: {
    id: string
    state: "queued" | "accepted" | "delivered" | "failed"
    sender_identity_id: string
    content_version_id: string
    recipient_email: string
    attempt_count: number
    provider_message_id: string | null
  }
}

export type RehearsalRequest = {
  sender_identity_id: Uuid
  content_version_id: Uuid
  recipient_email: EmailAddress
  confirmation: "RUN CONTROLLED REHEARSAL"
}

export type RehearsalResponse = {
  rehearsal: {
    id: string
    test_send_request_id: string
    state: "pending" | "sent" | "verified" | "failed"
    event_counts: TestEventCounts
    reconciliation: RehearsalReconciliation
    created_at: string
    verified_at: string | null
  }
}

/** Nothing is read from it. */
export type PreflightRequest = Record<string, unknown>

export type Preflight = {
  id: string
  workspace_id: string
  status: "passed" | "blocked"
  summary: PreflightSummary
  checks: PreflightCheck[]
  report_checksum: string
  requested_by_wallet_id: string
  completed_at: string
}

export type PreflightResponse = {
  preflight: Preflight
}

export type LatestPreflightResponse = {
  preflight: Preflight | null
}

export type SyntheticRehearsalRequest = {
  idempotency_key: string
  /** `RUN <recipient_count> SYNTHETIC REHEARSAL` Must be RUN, the number of recipients and SYNTHETIC REHEARSAL, such as RUN 1000 SYNTHETIC REHEARSAL. */
  confirmation: string
  /** 1000 if absent. */
  recipient_count?: number
}

export type SyntheticRehearsal = {
  id: string
  workspace_id: string
  state: "queued" | "running" | "completed" | "failed"
  recipient_count: number
  target_seconds: number
  provider_call_count: number
  requested_by_wallet_id: string
  created_at: string
  report: Record<string, unknown>
  report_checksum: string
  elapsed_milliseconds: number | null
  eligible_count: number | null
  excluded_count: number | null
  claimed_count: number | null
  recovered_count: number | null
  duplicate_claim_count: number | null
  cleanup_verified: boolean | null
  completed_at: string | null
}

export type SyntheticRehearsalCreateResponse = {
  created: boolean
  run: SyntheticRehearsal
}

export type SyntheticRehearsalResponse = {
  run: SyntheticRehearsal
}

export type ConsentPolicy = "review_required" | "explicit_opt_in" | "status_column"

/** CSV header to target: `email` (required), `first_name`, `last_name`, `company`, `country_code`, `locale`, `timezone`, `phone`, `tags`, `status`, `captured_at`, `custom.<field_key>` or `ignore`. A key such as `#3` names the third column. */
export type ColumnMapping = Record<string, string>

export type Import = {
  id: string
  status: "uploaded" | "dry_run_queued" | "dry_run_running" | "ready_for_review" | "apply_queued" | "applying" | "completed" | "failed" | "cancelled" | "expired"
  filename: string
  source_label: string
  /** The audience that the consents of the file are for. */
  audience_id: string
  file_sha256: string
  /** Bytes of the file as uploaded. */
  payload_size: number
  payload_retained: boolean
  headers: string[]
  mapping: ColumnMapping
  /** Null before the first mapping. */
  consent_policy: "review_required" | "explicit_opt_in" | "status_column" | null
  policy: Record<string, unknown>
  /** Counts only. */
  report: Record<string, unknown>
  report_checksum: string | null
  approval_checksum: string | null
  requested_by_wallet_id: string
  approved_by_wallet_id: string | null
  attempt_count: number
  created_at: string
  expires_at: string
  completed_at: string | null
  error: Record<string, unknown> | null
}

export type ImportResponse = {
  import: Import
}

export type ImportsResponse = {
  imports: Import[]
}

export type ImportUploadForm = {
  file: Blob
  audience_id: Uuid
  source_label: string
  /** A WHATWG label, case-insensitive; UTF-8 when absent. */
  encoding?: string
}

export type ImportPolicy = {
  /** Required with `explicit_opt_in`. */
  consent_basis?: string | null
  consent_source?: OptionalText
  /** The status of rows without one: subscribed, unsubscribed, suppressed or pending. With `status_column` an empty cell is never subscribed. */
  default_status?: string | null
  evidence_reference?: OptionalText
  static_tags?: Tag[] | null
  /** Cell to subscribed, unsubscribed, suppressed or pending. Cells are compared without case and surrounding spaces. */
  status_values?: Record<string, string> | null
  wording_version?: OptionalText
}

export type ImportMappingRequest = {
  mapping: ColumnMapping
  consent_policy: ConsentPolicy
  policy: ImportPolicy
  /** A saved or built-in profile. Its mapping and policy apply where the request says nothing else. */
  profile_id?: string | null
  /** Saves mapping and policy under this name, or replaces the profile that has it. */
  save_profile_name?: string | null
}

export type ImportApprovalRequest = {
  /** `APPLY CSV IMPORT <job_id> TO <organization_slug>/<workspace_slug>` */
  confirmation: string
  /** The `report_checksum` of the report that you read. 409 if the import has another report now. Without it, the report that the import has is approved. */
  report_checksum?: string | null
}

export type MappingProfilesResponse = {
  profiles: ({
    id: string
    name: string
    mapping: ColumnMapping
    policy: Record<string, unknown>
    mapping_checksum: string
  })[]
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

export type AutomationsResponse = {
  automations: AutomationListItem[]
  authoring_only: true
  execution_available: false
  /** The platform switch at the time of the request. */
  runtime_enabled: boolean
}

export type AutomationVersionResponse = {
  version: AutomationVersion
}

export type AutomationCreateRequest = {
  name: string
  slug: Slug
  definition: AutomationDefinition
  description?: string
  change_notes?: string
}

export type AutomationVersionRequest = {
  definition: AutomationDefinition
  change_notes?: string
  /** The version that the author began with. 409 if another one is current. Without it nothing is compared. */
  expected_version?: number
}

export type ReadyForReviewRequest = {
  version_id: Uuid
  definition_checksum: string
}

export type SyntheticEnrollmentRequest = {
  contact_id: Uuid
  synthetic_context_id: string
}

export type EnrollmentControlRequest = {
  /** Shown in the timeline. */
  reason?: string | null
  /** The finished step that `replay` repeats; the failed step if absent. */
  step_id?: string | null
}

export type EnrollmentsResponse = {
  enrollments: EnrollmentListItem[]
  synthetic_only: true
  production_enrollment_available: false
  /** Null on the last page. */
  next_cursor: string | null
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

/** The name of an environment key of the service. Other names are refused. Must be MAILPROVIDER_ or MAILGUN_, followed by at most 100 capital letters, digits and underscores, such as MAILPROVIDER_API_KEY. */
export type CredentialEnvKey = string

export type ProviderConnectionRequest = {
  name: string
  credential_env_key: CredentialEnvKey
  /** `us` if absent. */
  region?: "us" | "eu"
  webhook_signing_env_key?: CredentialEnvKey
}

export type ProviderConnectionResponse = {
  provider_connection: ProviderConnection
}

export type ProviderConnectionCheckResponse = {
  provider_connection: ProviderConnection
  check: {
    ok: boolean
    detail: string
    checked_at: string
  }
}

export type ActivateConnectionRequest = {
  confirmation: "ENABLE TEST CONNECTION"
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

export type SendingDomainRequest = {
  domain_name: string
  tracking_domain?: string
  notes?: string
  provider_connection_id?: Uuid
}

export type SendingDomainResponse = {
  sending_domain: SendingDomain
}

export type DomainReadinessRequest = {
  verification_state?: CheckState
  spf_state?: CheckState
  dkim_state?: CheckState
  dmarc_state?: CheckState
  alignment_state?: AlignmentState
  quota_state?: QuotaState
  notes?: string
}

export type DomainProviderRequest = {
  provider_connection_id: Uuid
  dkim_selector: string
  provider_domain_reference?: string
}

export type DomainCheck = {
  id: string
  is_ready: boolean
  /** Question, server, answer and expectation. */
  evidence: Record<string, unknown>
}

export type DomainVerifyResponse = {
  sending_domain: SendingDomain
  check: DomainCheck
}

export type DomainWebhooksResponse = {
  sending_domain: SendingDomain
  check: DomainCheck
  /** Events that already hold three URLs. */
  refused: WebhookEventName[]
}

export type WebhookEventName = "accepted" | "clicked" | "complained" | "delivered" | "opened" | "permanent_fail" | "temporary_fail" | "unsubscribed"

export type SenderIdentity = {
  id: string
  display_name: string
  from_address: string
  reply_to: string
  verification_state: "pending" | "verified" | "failed"
  is_enabled: boolean
}

export type SenderIdentityRequest = {
  sending_domain_id: Uuid
  display_name: string
  from_address: EmailAddress
  reply_to: EmailAddress
}

export type SenderIdentityResponse = {
  sender_identity: SenderIdentity
}

export type ActivateProductionSendingRequest = {
  confirmation: "ACTIVATE PRODUCTION SENDING"
}

export type SenderActivationResponse = {
  sender_identity: {
    id: string
    is_enabled: boolean
  }
}

/** The version of the document. */
export const versionOfApi = '2026-07-28'

/** Every operation by its id, with its input and the JSON or text of its success. */
export interface ApiOperations {
  /**
   * Check that the process is alive.
   *
   * Answers from memory, without calls to other parts.
   *
   * **Who may call it:** everybody, without a credential. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getHealth: {
    input: {

    }
    output: Health
  }
  /**
   * Check that the process can serve requests.
   *
   * Checks the database and every part that requests need. 503 while one of them does not answer.
   *
   * **Who may call it:** everybody, without a credential. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getReadiness: {
    input: {

    }
    output: Readiness
  }
  /**
   * Get this OpenAPI document.
   *
   * The OpenAPI 3.1 document that the gateway uses to route, authorise and validate.
   *
   * **Who may call it:** everybody, without a credential. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getOpenapiDocument: {
    input: {

    }
    output: OpenapiDocument
  }
  /**
   * Get the caller.
   *
   * The caller as stored in this service. `csrf_token` is set only for browser sessions.
   *
   * **Who may call it:** everybody with a valid credential. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getMe: {
    input: {

    }
    output: IdentityResponse
  }
  /**
   * List my workspaces.
   *
   * Every workspace in which the caller is a member, archived ones included and flagged.
   *
   * **Who may call it:** everybody with a valid credential. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listWorkspaces: {
    input: {

    }
    output: WorkspacesResponse
  }
  /**
   * Get one workspace.
   *
   * Includes the capabilities of the caller in it. In an archived workspace no role has `send_test`, `schedule_campaign` and `pause_delivery`.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getWorkspace: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: Workspace
  }
  /**
   * Turn on production sending for the workspace.
   *
   * Needs a sender on a ready domain and every global gate open, else 422. Sends nothing itself. Turn it off at the operator console.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin), who must also be an owner of the workspace or of the platform. **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  activateWorkspaceSending: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: ActivateSendingRequest
    }
    output: ActivateSendingResponse
  }
  /**
   * Create or change a contact.
   *
   * Idempotent by normalized email. Given fields overwrite, null clears, absent fields stay. `tags` is the whole list, and new names in it are registered. `custom_fields` merges by key, and its keys must be defined. `source` with `source_identifier` names one contact of the workspace: the same pair with another address is 409. Every call appends a provenance record. Fires no automation trigger and gives no consent. With `create_only` a known address is 409 `contact_exists` and nothing changes.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  upsertContact: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** Whether to refuse an address that the workspace knows already. False unless set. */
      create_only?: boolean
      body: ContactUpsertRequest
    }
    output: ContactUpsertResponse
  }
  /**
   * Find a contact by address.
   *
   * Compares normalized addresses: trimmed, lower case, domain in punycode, without provider-specific rules.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  lookupContact: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The address to look for, percent-encoded: a bare `+` is read as a blank. */
      email: string
    }
    output: ContactResponse
  }
  /**
   * Define a custom field.
   *
   * The same key and type again appends a new version. Another type is 409. Choice types need `options`. A workspace has at most 500 custom fields.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  defineContactField: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: FieldDefinitionRequest
    }
    output: FieldDefinitionResponse
  }
  /**
   * List audiences.
   *
   * The full list; archived audiences are included and flagged.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listAudiences: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: AudiencesResponse
  }
  /**
   * Create an audience.
   *
   * A taken slug is 409, also when its audience is archived. A workspace has at most 1,000 audiences, archived ones included: one more is 422. `minimum_interval_seconds` counts from the last hand-off to a contact under this audience.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createAudience: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: AudienceCreateRequest
    }
    output: AudienceCreateResponse
  }
  /**
   * Get one audience.
   *
   * Includes the number of its active members.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getAudience: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      audience_id: string
    }
    output: AudienceResponse
  }
  /**
   * Archive an audience.
   *
   * No contact can be subscribed, and nothing is sent to it any more. Safe to repeat. Its slug stays taken.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  archiveAudience: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      audience_id: string
    }
    output: ArchiveResponse
  }
  /**
   * Record consent and subscribe a contact.
   *
   * An unresolved suppression of the platform, the workspace or this audience is 422; the page names its scope and reason. No parameter overrides it: resolve the suppression, then subscribe again. Fires the `audience_subscribed` trigger, which enrols the contact in published automations with this trigger.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  subscribeContact: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      audience_id: string
      body: SubscribeRequest
    }
    output: SubscribeResponse
  }
  /**
   * Withdraw consent for an audience.
   *
   * Appends a withdrawal, ends the membership and leaves one unresolved audience suppression. Applies to every message not yet handed off. Safe to repeat.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  unsubscribeContact: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      audience_id: string
      body: UnsubscribeRequest
    }
    output: UnsubscribeResponse
  }
  /**
   * Suppress a contact.
   *
   * `audience_id` is required with scope `audience` and refused with other scopes. A platform suppression applies to the address in every organization. Memberships do not change.
   *
   * **Who may call it:** callers with the capability `resolve_suppressions` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  suppressContact: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
      body: SuppressRequest
    }
    output: SuppressResponse
  }
  /**
   * Resolve a suppression.
   *
   * Appended to the record, never edited. Safe to repeat. A platform-scope suppression also needs a platform owner or administrator, else 403. Subscribes nobody.
   *
   * **Who may call it:** callers with the capability `resolve_suppressions` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  resolveSuppression: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      suppression_id: string
      body: ResolveSuppressionRequest
    }
    output: ResolveSuppressionResponse
  }
  /**
   * Get the eligibility of a contact for an audience.
   *
   * The same decision that scheduling and delivery use, with every reason that applies. Read-only; contacts neither the provider nor the recipient.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getEligibility: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
      audience_id: string
    }
    output: EligibilityResponse
  }
  /**
   * Create signed preference links.
   *
   * `audience_id` is required with scope `audience`. The links never expire.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createPreferenceToken: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      contact_id: string
      body: PreferenceTokenRequest
    }
    output: PreferenceTokenResponse
  }
  /**
   * Submit a consented sign-up.
   *
   * Needs the credential of this source, or a grant with `events.write`. The source asserts the consent; it is recorded, not verified again. An audience or page origin that the source does not allow is 403. An exact replay returns the first receipt as `duplicate`; another payload under the same key, or under the same `source_event_id`, is 409. Payloads are compared as RFC 8785 JSON, with everything in them: the order of fields and blanks do not count, but null and absent differ, and so do two spellings of one timestamp. A body of more than 5,000 values is 422. Overwrites no field of an existing contact, fires no trigger, and can neither schedule nor send.
   *
   * **Who may call it:** a subscription source; a grant needs the permission `events.write`. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  ingestSubscriptionEvent: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
      body: SourceEventRequest
      /** One key for each intended action; see `idempotencyKey()`. */
      idempotency_key: string
    }
    output: SourceEventResponse
  }
  /**
   * List the audiences a source may fill.
   *
   * Needs the credential of this source, or a grant with `audiences.read`; a grant with only `events.write` is 403. Archived audiences are left out.
   *
   * **Who may call it:** a subscription source; a grant needs the permission `audiences.read`. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listSubscriptionSourceAudiences: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
    }
    output: SourceAudiencesResponse
  }
  /**
   * List subscription sources.
   *
   * The full list, with the ids that grants are scoped to. Never with a credential.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listSubscriptionSources: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: SourcesResponse
  }
  /**
   * Create a subscription source.
   *
   * `allowed_audience_ids` names at least one live audience of this workspace, or `allows_all_audiences` is true and the list is absent, null or empty; anything else is 422. A taken slug is 409. A workspace has at most 200 sources: one more is 422. Creates no credential: the source uses a wallet grant scoped to its id.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createSubscriptionSource: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: SourceCreateRequest
    }
    output: SourceResponse
  }
  /**
   * Replace the allowed origins.
   *
   * The complete list, not a delta. Idempotent. The slug cannot change.
   *
   * **Who may call it:** callers with the capability `manage_subscription_sources` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  replaceSubscriptionSourceOrigins: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      /** The slug of the source in its workspace. */
      source_slug: string
      body: SourceOriginsRequest
    }
    output: SourceResponse
  }
  /**
   * Create a template.
   *
   * Slugs are unique in a workspace, archived or not; a taken one is 409.
   *
   * **Who may call it:** callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createEmailTemplate: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: EmailTemplateRequest
    }
    output: EmailTemplateResponse
  }
  /**
   * Archive or restore a template.
   *
   * An empty body archives; `archived: false` restores. Content versions do not change and new ones may be added. A draft with content of an archived template cannot be scheduled; runs that are already scheduled continue.
   *
   * **Who may call it:** callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  archiveEmailTemplate: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      template_id: string
      body?: EmailTemplateArchiveRequest
    }
    output: EmailTemplateArchiveResponse
  }
  /**
   * Append a content version.
   *
   * Immutable and numbered. The HTML is sanitised, and only the sanitised copy is ever sent. `validation.stripped` lists what was removed; `valid` stays true in that case. Tokens look like `{{ first_name }}`; `{{ unsubscribe_url }}` is the unsubscribe link. 409 if `expected_version` is not the latest version. Sends nothing. Accepts up to 2 MiB.
   *
   * **Who may call it:** callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createContentVersion: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      template_id: string
      body: ContentVersionRequest
    }
    output: ContentVersionResponse
  }
  /**
   * Create a campaign draft.
   *
   * Creates the first immutable draft version. Schedules and sends nothing.
   *
   * **Who may call it:** callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createCampaignDraft: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: CampaignDraftRequest
    }
    output: CampaignResponse
  }
  /**
   * Append a draft version.
   *
   * The new version is immutable and becomes the current one. Earlier versions stay. Only while the campaign is a draft.
   *
   * **Who may call it:** callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createCampaignDraftVersion: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      campaign_id: string
      body: CampaignDraftRequest
    }
    output: CampaignResponse
  }
  /**
   * Schedule a campaign.
   *
   * Freezes the audience and the content into an immutable run. Fails closed with 422 unless every global, workspace, provider, domain, sender and content condition is met. At delivery the eligibility of every recipient is checked again. `scheduled_for` has a timezone and is in the future. A repeated key returns the original run. If a very large run is not ready within two minutes, the answer is 503 and the service keeps building the run: the same key returns it. 409 if `expected_version` is not the current version of the draft.
   *
   * **Who may call it:** callers with the capability `schedule_campaign` (roles owner, brand_admin, editor). **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  scheduleCampaign: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      campaign_id: string
      body: ScheduleRequest
      /** One key for each intended action; see `idempotencyKey()`. */
      idempotency_key: string
    }
    output: CampaignRunResponse
  }
  /**
   * Get one run.
   *
   * Includes its current counts.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getCampaignRun: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
    }
    output: CampaignRunResponse
  }
  /**
   * Get the report of a run.
   *
   * Each accepted recipient is in exactly one of `delivered`, `hard_bounced`, `soft_failed_only` and `no_terminal_event`, which sum to `sent`. A recipient with a delivery and a later hard bounce counts as `hard_bounced`. `events` are raw provider events and may exceed `sent`.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getCampaignRunReport: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
    }
    output: CampaignReportResponse
  }
  /**
   * Unschedule a run before it starts.
   *
   * The campaign is a draft again. After the run has left `scheduled` this is 422 and changes nothing.
   *
   * **Who may call it:** callers with the capability `schedule_campaign` (roles owner, brand_admin, editor). **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  unscheduleCampaignRun: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
    }
    output: CampaignRunResponse
  }
  /**
   * Pause, resume or cancel a run.
   *
   * A control that does not fit the state of the run is 422 and changes nothing. After `resume`, a run that was paused before its time is scheduled again, and an overdue one starts at once, behind the same gates. `cancel` is final.
   *
   * **Who may call it:** callers with the capability `pause_delivery` (roles owner, brand_admin). **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  controlCampaignRun: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
      /** Any other value is 404. */
      action: "pause" | "resume" | "cancel"
    }
    output: CampaignRunResponse
  }
  /**
   * Replay a stored provider event.
   *
   * Outcomes are a function of the set of events, so a replay counts nothing twice. Sends nothing.
   *
   * **Who may call it:** callers with the capability `pause_delivery` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  replayProviderEvent: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      event_id: string
    }
    output: ProviderEventReplayResponse
  }
  /**
   * Get the campaign webhook.
   *
   * The URL that gets the events of campaign runs. Shows whether a secret is set, never the secret.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getCampaignWebhook: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: CampaignWebhookResponse
  }
  /**
   * Set the campaign webhook.
   *
   * Null clears a field, an absent field stays. The URL must use https and must not resolve to a private, loopback or link-local address, now and at every delivery. Events are signed by Standard Webhooks.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  setCampaignWebhook: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: CampaignWebhookRequest
    }
    output: CampaignWebhookResponse
  }
  /**
   * Send one test email.
   *
   * To one typed recipient of the allowlist, behind the test-send gate, from a sender on a verified domain with an active connection, within the hourly and daily caps of the workspace; else 422. A suppressed address is also 422. A repeated key returns the original and never sends again. `state` stays `queued` while it is unknown whether the provider has the message.
   *
   * **Who may call it:** callers with the capability `send_test` (roles owner, brand_admin, editor). **Safety class `test delivery`:** may send one email, to a recipient of the allowlist.
   */
  createTestSend: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: TestSendRequest
      /** One key for each intended action; see `idempotencyKey()`. */
      idempotency_key: string
    }
    output: TestSendResponse
  }
  /**
   * Run a controlled rehearsal.
   *
   * A test send whose signed provider events are awaited and reconciled: `verified` when every expected kind has arrived, `failed` if not by the deadline. The conditions and caps of test sends apply. A repeated key returns the original.
   *
   * **Who may call it:** callers with the capability `send_test` (roles owner, brand_admin, editor). **Safety class `test delivery`:** may send one email, to a recipient of the allowlist.
   */
  createRehearsal: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: RehearsalRequest
      /** One key for each intended action; see `idempotencyKey()`. */
      idempotency_key: string
    }
    output: RehearsalResponse
  }
  /**
   * Get one rehearsal.
   *
   * Includes the event counts and the reconciliation so far.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getRehearsal: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      rehearsal_id: string
    }
    output: RehearsalResponse
  }
  /**
   * Get the latest preflight report.
   *
   * `preflight` is null before the first one.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getPreflight: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: LatestPreflightResponse
  }
  /**
   * Run the launch preflight.
   *
   * Checks the conditions of a launch and stores the report. Sends no email and opens no gate.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  runPreflight: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body?: PreflightRequest
    }
    output: PreflightResponse
  }
  /**
   * Rehearse capacity with synthetic recipients.
   *
   * Takes synthetic recipients with `.invalid` addresses through the code of a real run, lets some workers end on purpose, calls no provider, rolls its data back and stores the report. Needs the synthetic gate open, else 422. `confirmation` names the number of recipients, 1000 if none is given. A worker runs it, one at a time: read the run until `state` is `completed` or `failed`. The same `idempotency_key` returns the first run with `created` false; with another `recipient_count` it is 409.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin), who must also be somebody who owns both the workspace and the platform. **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createSyntheticRehearsal: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: SyntheticRehearsalRequest
    }
    output: SyntheticRehearsalCreateResponse
  }
  /**
   * Get one synthetic rehearsal.
   *
   * Numbers are null and `report` is empty until the run has ended. `report` has the time and the throughput of each stage, and a prediction for a real run: `total_seconds`, and `at_least_seconds` to `at_most_seconds` as its uncertainty. It is made from the last `runs` of the workspace (`basis` `recent_runs`), and is a rough estimate before the first one (`basis` `rehearsal`), and for less than about 2,000 recipients. `report_checksum` is the SHA-256 of `report` as RFC 8785 JSON.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getSyntheticRehearsal: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      run_id: string
    }
    output: SyntheticRehearsalResponse
  }
  /**
   * List imports.
   *
   * The newest 1,000, newest first. Reports contain only counts and the checksum of the mapping.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listImports: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: ImportsResponse
  }
  /**
   * Upload a CSV file.
   *
   * Stored encrypted and destroyed on completion, cancellation or expiry. An address in a file is never consent. The first row has the names of the columns, separated by commas, semicolons or tabs. The fields of the form may come before or after the file. Not idempotent: do not retry after 201.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  uploadImport: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: ImportUploadForm
    }
    output: ImportResponse
  }
  /**
   * Get one import.
   *
   * Reports contain only counts and the checksum of the mapping.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getImport: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      job_id: string
    }
    output: ImportResponse
  }
  /**
   * Map the columns.
   *
   * Can be repeated until approval. Queues a dry run that writes nothing, and invalidates an earlier report and approval.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  mapImport: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      job_id: string
      body: ImportMappingRequest
    }
    output: ImportResponse
  }
  /**
   * Approve an import.
   *
   * Binds the approval to the checksums of file, mapping and report, once. With `report_checksum` only the report that you read is approved, and 409 says that the import has another one. Forbidden with 422 while any test-send, sender, workspace, activation or production gate is open; the page names the open one.
   *
   * **Who may call it:** callers with the capability `approve_imports` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  approveImport: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      job_id: string
      body: ImportApprovalRequest
    }
    output: ImportResponse
  }
  /**
   * Cancel an import.
   *
   * Destroys the stored payload, irreversibly. Rows that were applied before stay. Of an approved import no further row is applied.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  cancelImport: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      job_id: string
    }
    output: ImportResponse
  }
  /**
   * Retry a failed import.
   *
   * With a valid approval the apply continues, else the dry run. 422 unless the import has failed.
   *
   * **Who may call it:** callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  retryImport: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      job_id: string
    }
    output: ImportResponse
  }
  /**
   * List mapping profiles.
   *
   * Mappings saved for later files of the same shape, by name, and then those that every workspace has.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listMappingProfiles: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: MappingProfilesResponse
  }
  /**
   * List automations.
   *
   * The full list, without versions. `runtime_enabled` is the platform switch at the time of the request.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listAutomations: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
    }
    output: AutomationsResponse
  }
  /**
   * Create an automation.
   *
   * Creates version 1 as a draft. The definition is checked: its structure, and the audiences, tags, fields, content versions and senders that it names. A problem is 422 with a line for each, a taken slug is 409. Enrols no contact and calls neither provider nor webhook. `docs/automations.md` describes definitions.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createAutomation: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: AutomationCreateRequest
    }
    output: AutomationResponse
  }
  /**
   * Get one automation.
   *
   * Includes its version history and the current version in full.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getAutomation: {
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
   * Get one version.
   *
   * Versions never change.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getAutomationVersion: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
      version_id: string
    }
    output: AutomationVersionResponse
  }
  /**
   * Append a version.
   *
   * The version is immutable. Resets the automation to draft and removes its review-ready mark. Contacts already enrolled finish the version in which they were enrolled. 409 if `expected_version` is not the current version. Enrols no contact and calls neither provider nor webhook.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createAutomationVersion: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
      body: AutomationVersionRequest
    }
    output: AutomationResponse
  }
  /**
   * Mark the current version ready for review.
   *
   * Version id and checksum must be those of the current version, else 422. Safe to repeat. Only marks the version. Enrols no contact and calls neither provider nor webhook.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  markAutomationReadyForReview: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
      body: ReadyForReviewRequest
    }
    output: AutomationResponse
  }
  /**
   * Archive an automation.
   *
   * Safe to repeat.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  archiveAutomation: {
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
   * Restore an archived automation.
   *
   * The automation becomes a draft. 422 unless it is archived. Enrols no contact and calls neither provider nor webhook.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  restoreAutomation: {
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
   * List the enrollments of an automation.
   *
   * Real and synthetic enrollments, newest first, without their timelines. An automation can have more of them than one answer can hold: `next_cursor` leads to the next page. `synthetic_only` and `production_enrollment_available` are constants that describe the API.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  listEnrollments: {
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
    output: EnrollmentsResponse
  }
  /**
   * Get one enrollment.
   *
   * Includes its timeline: what happened to it, and its steps with their outcomes, the newest 1,000 of each, oldest first. The last step may not be finished.
   *
   * **Who may call it:** callers with the capability `view` (roles owner, brand_admin, editor, analyst). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  getEnrollment: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      enrollment_id: string
    }
    output: EnrollmentResponse
  }
  /**
   * Enrol a synthetic contact.
   *
   * A rehearsal of this version: emails are simulated, and the other steps change the synthetic contact. Blocked in production. Accepts only archived workspaces whose slug begins with `synthetic-`, and contacts under `.invalid` that are bound to the same rehearsal by `source_metadata.synthetic_context_id`, else 422. 409 while the contact is in the automation, and while the platform automation switch is off. A repeated key returns the original as it is now. The contact moves while the automation is published. Audited.
   *
   * **Who may call it:** callers with the capability `edit_automations` (roles owner, brand_admin, editor). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createSyntheticEnrollment: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      automation_id: string
      version_id: string
      body: SyntheticEnrollmentRequest
      /** One key for each intended action; see `idempotencyKey()`. */
      idempotency_key: string
    }
    output: EnrollmentResponse
  }
  /**
   * Pause, resume, cancel or replay an enrollment.
   *
   * Applies to real and synthetic enrollments. A control that does not fit the state is 409. While the platform automation switch is off, every control is 409. `replay` repeats a step as a new one, and is 409 while the contact is in the automation with another enrollment. After a pause or cancellation is answered, no step begins.
   *
   * **Who may call it:** callers with the capability `pause_delivery` (roles owner, brand_admin). **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  controlEnrollment: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      enrollment_id: string
      /** Any other value is 404. */
      action: "pause" | "resume" | "cancel" | "replay"
      body?: EnrollmentControlRequest
    }
    output: EnrollmentResponse
  }
  /**
   * Add a sending domain.
   *
   * Reads the domain from the provider and stores its DNS records and DKIM selector. Uses the newest active connection of the workspace if none is named. 422 when the provider does not know the name or cannot be reached, or the connection has no credential; 409 when the workspace has the domain already.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `external checks`:** asks the mail provider or DNS, and mails nobody.
   */
  createSendingDomain: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: SendingDomainRequest
    }
    output: SendingDomainResponse
  }
  /**
   * Set readiness by hand.
   *
   * Sets the given dimensions and leaves the others. Only this operation sets `quota_state`; the next verification sets the others from its results.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  setSendingDomainReadiness: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      domain_id: string
      body: DomainReadinessRequest
    }
    output: SendingDomainResponse
  }
  /**
   * Bind a domain to a provider connection.
   *
   * The next verification compares with the data of this connection.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  setSendingDomainProvider: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      domain_id: string
      body: DomainProviderRequest
    }
    output: SendingDomainResponse
  }
  /**
   * Verify a domain.
   *
   * Live DNS queries and provider reads, stored as evidence. A domain is ready only when all eight provider events also deliver to the webhook URL of this workspace. 422 when the provider cannot be reached. Sends no email.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `external checks`:** asks the mail provider or DNS, and mails nobody.
   */
  verifySendingDomain: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      domain_id: string
    }
    output: DomainVerifyResponse
  }
  /**
   * Register the workspace's webhook URL.
   *
   * Adds the URL to each of the eight events that lacks it and never removes one. Events that already have three URLs are listed in `refused` and not changed. Then verifies. 422 when the domain has no connection or the provider cannot be reached. Sends no email.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `external checks`:** asks the mail provider or DNS, and mails nobody.
   */
  registerSendingDomainWebhooks: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      domain_id: string
    }
    output: DomainWebhooksResponse
  }
  /**
   * Create a sender identity.
   *
   * Created disabled. The from-address must belong to the domain.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createSenderIdentity: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: SenderIdentityRequest
    }
    output: SenderIdentityResponse
  }
  /**
   * Enable a sender identity.
   *
   * The domain must be ready and every global gate open, else 422. Sends nothing itself.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin), who must also be an owner of the workspace or of the platform. **Safety class `production path`:** is part of sending to real recipients, and is refused unless every gate is open.
   */
  activateSenderIdentity: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      sender_id: string
      body: ActivateProductionSendingRequest
    }
    output: SenderActivationResponse
  }
  /**
   * Create a provider connection.
   *
   * Refers to its credentials by the names of environment keys; their values are never returned. Created unchecked and inactive.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  createProviderConnection: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      body: ProviderConnectionRequest
    }
    output: ProviderConnectionResponse
  }
  /**
   * Check a provider connection.
   *
   * Asks the provider whether the credential works. A refused credential is a normal answer: 200 with `check.ok` false and the state `failed`. Sends no email.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `external checks`:** asks the mail provider or DNS, and mails nobody.
   */
  checkProviderConnection: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      connection_id: string
    }
    output: ProviderConnectionCheckResponse
  }
  /**
   * Activate a provider connection.
   *
   * Only a verified connection can be activated, else 422.
   *
   * **Who may call it:** callers with the capability `manage_senders` (roles owner, brand_admin). **Safety class `database-only`:** reads or changes the database and contacts nobody outside.
   */
  activateProviderConnection: {
    input: {
      /** The slug of the organization. */
      organization_slug: string
      /** The slug of the workspace. */
      workspace_slug: string
      connection_id: string
      body: ActivateConnectionRequest
    }
    output: ProviderConnectionResponse
  }
}

/** How each operation is requested. */
export const routes: Record<keyof ApiOperations, Route> = {
  getHealth: { method: "GET", path: "/healthz" },
  getReadiness: { method: "GET", path: "/readyz" },
  getOpenapiDocument: { method: "GET", path: "/api/v1/openapi.json" },
  getMe: { method: "GET", path: "/api/v1/me" },
  listWorkspaces: { method: "GET", path: "/api/v1/workspaces" },
  getWorkspace: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}" },
  activateWorkspaceSending: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/activate-sending", body: "json" },
  upsertContact: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/upsert", query: ["create_only"], body: "json" },
  lookupContact: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/lookup", query: ["email"] },
  defineContactField: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/contact-field-definitions", body: "json" },
  listAudiences: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences" },
  createAudience: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences", body: "json" },
  getAudience: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences/{audience_id}" },
  archiveAudience: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences/{audience_id}/archive" },
  subscribeContact: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences/{audience_id}/subscribe", body: "json" },
  unsubscribeContact: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/audiences/{audience_id}/unsubscribe", body: "json" },
  suppressContact: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/suppress", body: "json" },
  resolveSuppression: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/suppressions/{suppression_id}/resolve", body: "json" },
  getEligibility: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/eligibility/{audience_id}" },
  createPreferenceToken: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/preference-token", body: "json" },
  ingestSubscriptionEvent: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/events", body: "json", takesKey: true },
  listSubscriptionSourceAudiences: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/audiences" },
  listSubscriptionSources: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources" },
  createSubscriptionSource: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources", body: "json" },
  replaceSubscriptionSourceOrigins: { method: "PATCH", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/subscription-sources/{source_slug}/origins", body: "json" },
  createEmailTemplate: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/email-templates", body: "json" },
  archiveEmailTemplate: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/email-templates/{template_id}/archive", body: "json" },
  createContentVersion: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/email-templates/{template_id}/versions", body: "json" },
  createCampaignDraft: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-drafts", body: "json" },
  createCampaignDraftVersion: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-drafts/{campaign_id}/versions", body: "json" },
  scheduleCampaign: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-drafts/{campaign_id}/schedule", body: "json", takesKey: true },
  getCampaignRun: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}" },
  getCampaignRunReport: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/report" },
  unscheduleCampaignRun: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/unschedule" },
  controlCampaignRun: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/{action}" },
  replayProviderEvent: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/provider-events/{event_id}/replay" },
  getCampaignWebhook: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-webhook" },
  setCampaignWebhook: { method: "PUT", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-webhook", body: "json" },
  createTestSend: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/test-sends", body: "json", takesKey: true },
  createRehearsal: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/rehearsals", body: "json", takesKey: true },
  getRehearsal: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/rehearsals/{rehearsal_id}" },
  getPreflight: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/operations/preflight" },
  runPreflight: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/operations/preflight", body: "json" },
  createSyntheticRehearsal: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/operations/synthetic-rehearsals", body: "json" },
  getSyntheticRehearsal: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/operations/synthetic-rehearsals/{run_id}" },
  listImports: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/imports/csv" },
  uploadImport: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/imports/csv", body: "form" },
  getImport: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/imports/csv/{job_id}" },
  mapImport: { method: "PATCH", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/imports/csv/{job_id}/mapping", body: "json" },
  approveImport: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/imports/csv/{job_id}/approve", body: "json" },
  cancelImport: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/imports/csv/{job_id}/cancel" },
  retryImport: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/imports/csv/{job_id}/retry" },
  listMappingProfiles: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/imports/csv-mapping-profiles" },
  listAutomations: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations" },
  createAutomation: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations", body: "json" },
  getAutomation: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}" },
  getAutomationVersion: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/versions/{version_id}" },
  createAutomationVersion: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/versions", body: "json" },
  markAutomationReadyForReview: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/ready-for-review", body: "json" },
  archiveAutomation: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/archive" },
  restoreAutomation: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/restore" },
  listEnrollments: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/enrollments", query: ["cursor","limit"] },
  getEnrollment: { method: "GET", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automation-enrollments/{enrollment_id}" },
  createSyntheticEnrollment: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automations/{automation_id}/versions/{version_id}/synthetic-enrollments", body: "json", takesKey: true },
  controlEnrollment: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/automation-enrollments/{enrollment_id}/{action}", body: "json" },
  createSendingDomain: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains", body: "json" },
  setSendingDomainReadiness: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains/{domain_id}/readiness", body: "json" },
  setSendingDomainProvider: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains/{domain_id}/provider", body: "json" },
  verifySendingDomain: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains/{domain_id}/verify" },
  registerSendingDomainWebhooks: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/sending-domains/{domain_id}/register-webhooks" },
  createSenderIdentity: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/sender-identities", body: "json" },
  activateSenderIdentity: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/sender-identities/{sender_id}/activate", body: "json" },
  createProviderConnection: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/provider-connections", body: "json" },
  checkProviderConnection: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/provider-connections/{connection_id}/check" },
  activateProviderConnection: { method: "POST", path: "/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/provider-connections/{connection_id}/activate", body: "json" },
}
