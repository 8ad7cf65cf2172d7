import type { SealedRow } from './consent-seal.entity.ts'
import { eventSha256, evidenceSha256, sealSha256 } from './seal-hashes.ts'

/** The position of the comparison: the seal before the next row. */
export interface Place {
  position: number
  sha256: string | null
}

export interface Mismatch {
  problem: string
  eventId: string
  position: number
}

/**
 * Compares a stretch of a workspace's chain, in order, with the rows it seals. Goes on behind a mismatch, so that one
 * tampered row is one finding. Missing evidence was erased, which is allowed.
 */
export function compareSeals(rows: readonly SealedRow[], from: Place): { mismatches: Mismatch[]; to: Place } {
  const mismatches: Mismatch[] = []
  let to = from
  for (const row of rows) {
    const { seal } = row
    const found = (problem: string) => mismatches.push({ problem, eventId: seal.event_id, position: seal.position })
    if (seal.position !== to.position + 1) found('seals before this one were removed')
    else if ((seal.previous_sha256 ?? null) !== to.sha256) found('the link to the seal before is broken')
    if (sealSha256(seal) !== seal.sha256) found('the seal was changed')
    if ((seal.previous_contact_sha256 ?? null) !== row.contact_link)
      found("the link to the contact's seal before is broken")
    if (row.event === null) found('the event was removed')
    else if (eventSha256(row.event) !== seal.event_sha256) found('the event was changed')
    else if (row.salt !== null && evidenceSha256(row.salt, row.evidence) !== row.event['evidence_sha256'])
      found('the evidence was changed')
    to = { position: seal.position, sha256: seal.sha256 }
  }
  return { mismatches, to }
}
