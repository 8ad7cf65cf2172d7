import { randomUUID } from 'node:crypto'

/** The event that the server of a form submits for one person who consented there. */
export const signUp = (audienceId: string, email: string, pageOrigin: string, locale = 'en-GB') => ({
  schema_version: 'service.subscription-source-event.v1',
  source_event_id: randomUUID(),
  destination_audience_id: audienceId,
  contact: { email, first_name: 'Robin', locale },
  consent_granted: true,
  captured_at: new Date().toISOString(),
  consent: {
    wording_id: 'footer-2026-01',
    wording_sha256: 'b8a3f6a4'.repeat(8),
    privacy_policy_url: 'https://www.acme.test/privacy',
    privacy_policy_version: '2026-01',
  },
  source: {
    form_id: 'footer',
    form_version: '3',
    page_origin: pageOrigin,
    page_path: '/newsletter',
    evidence_schema_version: 'app.newsletter-consent-capture.v1',
  },
})
