import type { Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { sealsOfContact } from './consent-seal.entity.ts'
import { readRecipientVerdicts } from '../eligibility/eligibility.ts'
import { audienceStandings, proofFacts, standingSuppressions, type AudienceStanding } from './proof-facts.ts'
import {
  groundsOf,
  proofFormat,
  provenEvidence,
  type AudienceVerdict,
  type ProofContent,
  type StandingSuppression,
} from './consent-proof.ts'
import type { Head, RecordedEvent } from './seal-hashes.ts'
import type { Break } from './alert-broken-record.ts'

/** The data of a proof; `breaks` if the tables differ from the sealed data. */
export interface ProofReading {
  content: ProofContent
  head: Head | undefined
  breaks: Break[]
}

const stillSealing = () =>
  new Fault(
    'unavailable',
    'consent_record',
    'So much has just been added to the consent record of this contact that it is not sealed yet. Try again in a moment.',
  )

/**
 * Reads the data of a proof. This transaction must hold the lock of the contact. Undefined if neither the contact nor events
 * exist. Fault `unavailable` while some events are not sealed.
 */
export async function readProof(em: Em, workspaceId: string, contactId: string): Promise<ProofReading | undefined> {
  const facts = await proofFacts(em, workspaceId, contactId)
  if (facts.contact === null && facts.events === 0) return undefined
  if (facts.has_waiting) throw stillSealing()
  const sealed = await sealsOfContact(em, workspaceId, contactId)
  const breaks: Break[] = []
  if (sealed.length !== facts.events) {
    breaks.push({ problem: `the contact has ${facts.events} events and ${sealed.length} seals` })
  }
  const events = sealed.flatMap(({ event, salt, evidence, seal }) => {
    if (event === null)
      breaks.push({ problem: 'the event was removed', eventId: seal.event_id, position: seal.position })
    return event === null ? [] : [{ event, evidence: provenEvidence(event, salt, evidence), seal }]
  })
  const suppressions = await standingSuppressions(em, workspaceId, contactId)
  const record = { workspaceId, contactId, suppressions, events: events.map(({ event }) => event) }
  const content: ProofContent = {
    format: proofFormat,
    workspace: { id: workspaceId, ...(facts.workspace ?? { organization: null, slug: null, name: null }) },
    contact: {
      id: contactId,
      exists: facts.contact !== null,
      ...(facts.contact ?? {
        normalized_email: null,
        legacy_consent_classification: null,
        legacy_consent_evidence: null,
      }),
    },
    audiences: await verdicts(em, record),
    suppressions,
    events,
  }
  return { content, head: facts.head ?? undefined, breaks }
}

interface OfContact {
  workspaceId: string
  contactId: string
  suppressions: readonly StandingSuppression[]
  events: readonly RecordedEvent[]
}

async function verdicts(em: Em, record: OfContact): Promise<AudienceVerdict[]> {
  const { workspaceId, contactId } = record
  const audiences = await audienceStandings(em, workspaceId, contactId)
  const questions = audiences.map(({ id }) => ({ contactId, audienceId: id }))
  const verdicts = await readRecipientVerdicts(em, workspaceId, questions)
  return audiences.map((audience, index) => {
    const { reasons } = verdicts[index]!
    const standing = {
      ...record,
      audience: { id: audience.id, archivedAt: audience.archived_at },
      membership: membershipOf(audience),
    }
    return {
      id: audience.id,
      name: audience.name,
      slug: audience.slug,
      eligible: reasons.length === 0,
      consent_event_id: audience.consent_event_id,
      reasons: reasons.map((reason) => ({ reason, based_on: groundsOf(reason, standing) })),
    }
  })
}

const membershipOf = (audience: AudienceStanding) =>
  audience.since === null
    ? null
    : {
        consentEventId: audience.consent_event_id,
        since: audience.since,
        underReviewSince: audience.under_review_since,
        lastHandedOffAt: audience.last_handed_off_at,
      }
