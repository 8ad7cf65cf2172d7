import { canonicalJson, sha256Of } from '@lettergate/canonical-json'
import type { Head, RecordedEvent, Seal } from './seal-hashes.ts'
import type { EligibilityReason } from '../eligibility/eligibility-reasons.ts'
import { signText, type ProofKey } from './proof-signing-keys.ts'

export const proofFormat = 'lettergate.consent-proof.v1'

/** One thing that a verdict rests on. `since` is when it came to be so, where that is known. */
export interface Ground {
  kind: 'consent_event' | 'suppression' | 'membership' | 'contact' | 'audience' | 'workspace'
  /** a membership goes by its audience; null for a suppression that another workspace made */
  id: string | null
  since: string | null
}

export interface AudienceVerdict {
  id: string
  name: string
  slug: string
  eligible: boolean
  /** the consent event that decides; null when the record has none for this audience */
  consent_event_id: string | null
  reasons: { reason: EligibilityReason; based_on: Ground[] }[]
}

export interface StandingSuppression {
  id: string | null
  scope: string
  audience_id: string | null
  reason: string
  source: string | null
  created_at: string
}

/** `none`: there was no evidence. `erased`: only its hash is left. `held`: it can be checked against the hash. */
export type ProvenEvidence =
  { state: 'none' | 'erased'; salt: null; content: null } | { state: 'held'; salt: string; content: unknown }

export interface ProvenEvent {
  event: RecordedEvent
  evidence: ProvenEvidence
  seal: Seal
}

/** The content of a proof. */
export interface ProofContent {
  format: typeof proofFormat
  workspace: { id: string; organization: string | null; slug: string | null; name: string | null }
  contact: {
    id: string
    exists: boolean
    normalized_email: string | null
    legacy_consent_classification: string | null
    legacy_consent_evidence: unknown
  }
  audiences: AudienceVerdict[]
  suppressions: StandingSuppression[]
  events: ProvenEvent[]
}

/** The signed part: the ends of both chains at that time, and the hash of the rest of the file. */
export interface ProofHead {
  format: typeof proofFormat
  workspace_id: string
  contact_id: string
  contact_events: number
  contact_sha256: string | null
  position: number
  sha256: string | null
  content_sha256: string
  key_id: string
  exported_at: string
}

export interface ConsentProof extends ProofContent {
  head: ProofHead
  signature: { key_id: string; public_key: string; fingerprint: string; ed25519: string }
}

/** Signs the content with the current time. `head` is the end of the workspace's chain. */
export function signProof(content: ProofContent, head: Head | undefined, key: ProofKey, at: Date): ConsentProof {
  const signed: ProofHead = {
    format: proofFormat,
    workspace_id: content.workspace.id,
    contact_id: content.contact.id,
    contact_events: content.events.length,
    contact_sha256: content.events.at(-1)?.seal.sha256 ?? null,
    position: head?.position ?? 0,
    sha256: head?.sha256 ?? null,
    content_sha256: sha256Of(content),
    key_id: key.keyId,
    exported_at: at.toISOString(),
  }
  const { keyId: key_id, publicKey: public_key, fingerprint } = key
  return {
    ...content,
    head: signed,
    signature: { key_id, public_key, fingerprint, ed25519: signText(key, canonicalJson(signed)) },
  }
}

/** The salt with its evidence, or the state without them. */
export function provenEvidence(event: RecordedEvent, salt: string | null, content: unknown): ProvenEvidence {
  if (salt !== null) return { state: 'held', salt, content }
  return { state: (event['evidence_sha256'] ?? null) === null ? 'none' : 'erased', salt: null, content: null }
}

/** The state of a contact in one audience, as far as reasons depend on it. */
export interface Standing {
  audience: { id: string; archivedAt: string | null }
  membership: {
    consentEventId: string | null
    since: string
    underReviewSince: string | null
    lastHandedOffAt: string | null
  } | null
  contactId: string
  workspaceId: string
  suppressions: readonly StandingSuppression[]
  events: readonly RecordedEvent[]
}

/** The rows and events behind one reason. Empty if the reason is that there are none. */
export function groundsOf(reason: EligibilityReason, standing: Standing): Ground[] {
  const { audience, membership, contactId, workspaceId } = standing
  const ofMembership = (since: string | null): Ground[] =>
    membership === null ? [] : [{ kind: 'membership', id: audience.id, since }]
  const suppressedBy = (scope: string): Ground[] => {
    const found = standing.suppressions.filter(
      (one) => one.scope === scope && (scope !== 'audience' || one.audience_id === audience.id),
    )
    const ids = new Set(found.flatMap((one) => one.id ?? []))
    return [
      ...found.map((one): Ground => ({ kind: 'suppression', id: one.id, since: one.created_at })),
      ...standing.events.filter((event) => ids.has(event['suppression_id'] as string)).map(ofEvent),
    ]
  }
  switch (reason) {
    case 'workspace_archived':
      return [{ kind: 'workspace', id: workspaceId, since: null }]
    case 'audience_archived':
      return [{ kind: 'audience', id: audience.id, since: audience.archivedAt }]
    case 'contact_missing':
      return [{ kind: 'contact', id: contactId, since: null }]
    case 'suppressed_platform':
      return suppressedBy('platform')
    case 'suppressed_workspace':
      return suppressedBy('workspace')
    case 'suppressed_audience':
      return suppressedBy('audience')
    case 'consent_missing':
      return []
    case 'consent_withdrawn':
      return standing.events.filter((event) => event.id === membership?.consentEventId).map(ofEvent)
    case 'consent_under_review':
      return ofMembership(membership?.underReviewSince ?? null)
    case 'confirmation_pending':
      return standing.events
        .filter((event) => event['reason'] === 'confirmation_pending' && event['audience_id'] === audience.id)
        .slice(-1)
        .map(ofEvent)
    case 'legacy_consent_unverified':
      return [{ kind: 'contact', id: contactId, since: null }]
    case 'not_subscribed':
      return ofMembership(membership?.since ?? null)
    case 'minimum_interval_not_elapsed':
      return ofMembership(membership?.lastHandedOffAt ?? null)
  }
}

const ofEvent = (event: RecordedEvent): Ground => ({
  kind: 'consent_event',
  id: event.id,
  since: String(event['occurred_at']),
})
