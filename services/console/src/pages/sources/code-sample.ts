import type { Source } from '@lettergate/client/console'

/** A request of the server of a form, to copy. The credential comes from its environment. */
export const codeSampleOf = (origin: string, workspace: string, source: Source): string => {
  const [organization, slug] = workspace.split('/')
  return `curl -sS ${origin}/api/v1/organizations/${organization}/workspaces/${slug}/subscription-sources/${source.slug}/events \\
  -H "Authorization: Bearer $LETTERGATE_SOURCE_CREDENTIAL" \\
  -H "Idempotency-Key: $EVENT_ID" -H 'Content-Type: application/json' \\
  -d '{
    "schema_version": "service.subscription-source-event.v1",
    "source_event_id": "'$EVENT_ID'",
    "destination_audience_id": "${source.allowed_audience_ids[0] ?? 'AUDIENCE_ID'}",
    "contact": {"email": "ada@example.org", "first_name": "Ada"},
    "consent_granted": true,
    "captured_at": "'$(date -u +%FT%TZ)'",
    "consent": {
      "wording_id": "footer-2026-01",
      "wording_sha256": "'$WORDING_SHA256'",
      "privacy_policy_url": "https://www.example.org/privacy",
      "privacy_policy_version": "2026-01"
    },
    "source": {
      "form_id": "footer", "form_version": "1",
      "page_origin": "${source.allowed_origins[0] ?? 'https://www.example.org'}",
      "evidence_schema_version": "app.newsletter-consent-capture.v1"
    }
  }'`
}
