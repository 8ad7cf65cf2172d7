/** The operations of the specification, each as `METHOD path capability [ownership]`; `W` is the path of a workspace. */
export const publicOperations = `
GET /healthz public
GET /readyz public
GET /docs public
GET /api/v1/openapi.json public
GET /preferences/{token} public
POST /preferences/{token} public
GET /preferences/one-click/{token} public
POST /preferences/one-click/{token} public
GET /preferences/choices/{token} public
POST /preferences/choices/{token} public
GET /confirmations/{token} public
POST /confirmations/{token} public
POST /webhooks/mailprovider/{connection_id} public

GET /api/v1/me authenticated
GET /api/v1/workspaces authenticated
GET W view
POST W/activate-sending manage_senders platform_or_workspace_owner

POST W/contacts/upsert upsert_contacts
GET W/contacts/lookup view
POST W/contact-field-definitions upsert_contacts
GET W/audiences view
POST W/audiences upsert_contacts
GET W/audiences/{audience_id} view
POST W/audiences/{audience_id}/archive upsert_contacts
POST W/audiences/{audience_id}/subscribe upsert_contacts
POST W/audiences/{audience_id}/unsubscribe upsert_contacts
POST W/contacts/{contact_id}/suppress resolve_suppressions
POST W/suppressions/{suppression_id}/resolve resolve_suppressions
GET W/contacts/{contact_id}/eligibility/{audience_id} view
POST W/contacts/{contact_id}/preference-token upsert_contacts

POST W/subscription-sources/{source_slug}/events source
GET W/subscription-sources/{source_slug}/audiences source
GET W/subscription-sources manage_subscription_sources
POST W/subscription-sources manage_subscription_sources
PATCH W/subscription-sources/{source_slug}/origins manage_subscription_sources

GET W/imports/csv view
POST W/imports/csv upsert_contacts
GET W/imports/csv/{job_id} view
PATCH W/imports/csv/{job_id}/mapping upsert_contacts
POST W/imports/csv/{job_id}/approve approve_imports
POST W/imports/csv/{job_id}/cancel upsert_contacts
POST W/imports/csv/{job_id}/retry upsert_contacts
GET W/imports/csv-mapping-profiles view

GET W/automations view
POST W/automations edit_automations
GET W/automations/{automation_id} view
GET W/automations/{automation_id}/versions/{version_id} view
POST W/automations/{automation_id}/versions edit_automations
POST W/automations/{automation_id}/ready-for-review edit_automations
POST W/automations/{automation_id}/archive edit_automations
POST W/automations/{automation_id}/restore edit_automations
GET W/automations/{automation_id}/enrollments view
GET W/automation-enrollments/{enrollment_id} view
POST W/automations/{automation_id}/versions/{version_id}/synthetic-enrollments edit_automations
POST W/automation-enrollments/{enrollment_id}/{action} pause_delivery

POST W/sending-domains manage_senders
POST W/sending-domains/{domain_id}/readiness manage_senders
POST W/sending-domains/{domain_id}/provider manage_senders
POST W/sending-domains/{domain_id}/verify manage_senders
POST W/sending-domains/{domain_id}/register-webhooks manage_senders
POST W/sender-identities manage_senders
POST W/sender-identities/{sender_id}/activate manage_senders platform_or_workspace_owner
POST W/provider-connections manage_senders
POST W/provider-connections/{connection_id}/check manage_senders
POST W/provider-connections/{connection_id}/activate manage_senders

POST W/email-templates edit_content
POST W/email-templates/{template_id}/archive edit_content
POST W/email-templates/{template_id}/versions edit_content
POST W/campaign-drafts edit_content
POST W/campaign-drafts/{campaign_id}/versions edit_content
POST W/campaign-drafts/{campaign_id}/schedule schedule_campaign
GET W/campaign-runs/{run_id} view
GET W/campaign-runs/{run_id}/report view
POST W/campaign-runs/{run_id}/unschedule schedule_campaign
POST W/campaign-runs/{run_id}/{action} pause_delivery
POST W/provider-events/{event_id}/replay pause_delivery
GET W/campaign-webhook view
PUT W/campaign-webhook manage_senders

POST W/test-sends send_test
POST W/rehearsals send_test
GET W/rehearsals/{rehearsal_id} view
GET W/operations/preflight view
POST W/operations/preflight manage_senders
POST W/operations/synthetic-rehearsals manage_senders platform_and_workspace_owner
GET W/operations/synthetic-rehearsals/{run_id} view
`
  .split('\n')
  .filter(Boolean)

/** The operations of the console's own document; `CW` is the path of a workspace there. */
export const consoleOperations = [
  'GET /console/api/openapi.json authenticated',
  'GET /console/api/platform/gates authenticated platform_owner_or_administrator',
  'PUT /console/api/platform/gates/{name} authenticated platform_owner_or_administrator',
  'GET /console/api/platform/audit-log authenticated platform_owner_or_administrator',
  'GET /console/api/platform/audit-log/chain authenticated platform_owner_or_administrator',
  'GET /console/api/platform/audit-log/export authenticated platform_owner_or_administrator',
  'GET /console/api/platform/audit-log/head authenticated platform_owner_or_administrator',
  'GET /console/api/platform/suppressions authenticated platform_owner_or_administrator',
  'POST /console/api/platform/suppressions/{suppression_id}/resolve authenticated platform_owner_or_administrator',
  'GET /console/api/platform/alerts authenticated platform_owner_or_administrator',
  'POST /console/api/platform/alerts/{alert_id}/acknowledge authenticated platform_owner_or_administrator',
  'GET /console/api/platform/dead-letters authenticated platform_owner_or_administrator',
  'GET /console/api/platform/dead-letters/{service}/{dead_letter_id} authenticated platform_owner_or_administrator',
  'POST /console/api/platform/dead-letters/{service}/{dead_letter_id}/replay authenticated platform_owner_or_administrator',
  'POST /console/api/platform/dead-letters/{service}/{dead_letter_id}/discard authenticated platform_owner_or_administrator',
  'GET /console/api/me/sessions authenticated',
  'DELETE /console/api/me/sessions/{session_id} authenticated',
  'GET CW/operators manage_team_roles',
  'POST CW/operators manage_team_roles',
  'PATCH CW/operators/{wallet_user_id} manage_team_roles',
  'DELETE CW/operators/{wallet_user_id} manage_team_roles',
  'GET CW/contact-field-definitions view',
  'DELETE CW/audiences/{audience_id} manage_audiences',
  'DELETE CW/contacts/{contact_id} delete_contacts',
  'POST CW/contacts/{contact_id}/erase delete_contacts',
  'GET CW/erasures/{erasure_id} delete_contacts',
  'GET CW/contacts view',
  'GET CW/contacts/{contact_id} view',
  'GET CW/suppressions view',
  'GET CW/consent-events view',
  'GET CW/contacts/{contact_id}/consent-proof view',
  'GET CW/consent-proof-keys view',
  'POST CW/subscription-sources manage_subscription_sources',
  'POST CW/subscription-sources/{source_slug}/credential manage_subscription_sources',
  'GET CW/subscription-sources/{source_slug}/credential manage_subscription_sources',
  'DELETE CW/subscription-sources/{source_slug}/credential manage_subscription_sources',
  'POST CW/subscription-sources/{source_slug}/status manage_subscription_sources',
  'GET CW/subscription-sources/{source_slug}/confirmation manage_subscription_sources',
  'PUT CW/subscription-sources/{source_slug}/confirmation manage_subscription_sources',
  'DELETE CW/subscription-sources/{source_slug}/confirmation manage_subscription_sources',
  'GET CW/subscription-sources/{source_slug}/receipts manage_subscription_sources',
  'GET CW/audiences view',
  'GET CW/audiences/{audience_id}/member-days view',
  'GET CW/tags view',
  'POST CW/tags upsert_contacts',
  'PATCH CW/tags/{tag_id} authenticated workspace_owner',
  'POST CW/tags/{tag_id}/merge authenticated workspace_owner',
  'POST CW/contacts/{contact_id}/tags upsert_contacts',
  'DELETE CW/contacts/{contact_id}/tags/{tag} upsert_contacts',
  'GET CW/provider-connections view',
  'PATCH CW/provider-connections/{connection_id} manage_senders',
  'DELETE CW/provider-connections/{connection_id} manage_senders',
  'GET CW/sending-domains view',
  'GET CW/sending-domains/{domain_id} view',
  'PATCH CW/sending-domains/{domain_id} manage_senders',
  'DELETE CW/sending-domains/{domain_id} manage_senders',
  'GET CW/sending-domains/{domain_id}/checks view',
  'GET CW/sender-identities view',
  'PATCH CW/sender-identities/{sender_id} manage_senders',
  'DELETE CW/sender-identities/{sender_id} manage_senders',
  'POST CW/sending-off manage_senders',
  'GET CW/email-templates view',
  'GET CW/email-templates/{template_id} view',
  'GET CW/content-versions/{content_version_id} view',
  'GET CW/content-versions/{content_version_id}/rendered view',
  'GET CW/content-versions/{content_version_id}/preview view',
  'POST CW/automations/{automation_id}/publish edit_automations',
  'POST CW/automations/{automation_id}/pause edit_automations',
  'GET CW/automations/{automation_id}/enrollments view',
  'GET CW/automations/{automation_id}/versions/{version_id}/counts view',
  'POST CW/automations/{automation_id}/versions/{version_id}/synthetic-runs edit_automations',
  'POST CW/campaign-drafts edit_content',
  'POST CW/campaign-drafts/{campaign_id}/versions edit_content',
  'GET CW/campaigns view',
  'GET CW/campaigns/{campaign_id} view',
  'DELETE CW/campaigns/{campaign_id} edit_content',
  'GET CW/campaign-runs/{run_id}/unknown view',
  'POST CW/campaign-runs/{run_id}/resend-unknown schedule_campaign',
  'GET CW/test-sends view',
  'POST CW/campaign-webhook/test manage_senders',
  'GET CW/campaign-webhook/person-events view',
  'PUT CW/campaign-webhook/person-events manage_senders',
  'GET CW/campaign-webhook/deliveries view',
  'GET CW/rehearsals view',
  'GET CW/preflights view',
  'GET CW/provider-events view',
  'GET CW/campaign-runs view',
  'GET CW/sending-overview view',
  'GET CW/messages view',
  'GET CW/campaign-runs/{run_id}/timeline view',
  'GET CW/campaign-runs/{run_id}/recipients view',
  'GET CW/campaign-runs/{run_id}/recipients.csv view',
  'GET CW/contacts/{contact_id}/last-messages view',
  'GET CW/contacts/{contact_id}/messages view',
  'GET CW/contacts/{contact_id}/enrollments view',
]
