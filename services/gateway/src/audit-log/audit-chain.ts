import { rowSha256, sealSha256 } from '@lettergate/canonical-json'

export const chainFormat = 'lettergate.audit-log-chain.v1'

/** A row of the audit log as JSON. Null columns are left out of its hash. */
export interface AuditRow extends Record<string, unknown> {
  readonly id: string
}

/** The seal of one entry. The first seal has no previous hash. */
export interface AuditSeal {
  readonly position: number
  readonly entry_id: string
  readonly entry_sha256: string
  readonly previous_sha256?: string | null
  readonly sealed_at: string
  readonly sha256: string
}

/** The end of a stretch of the chain. */
export interface ChainPlace {
  readonly position: number
  readonly sha256: string | null
}

export const beginning: ChainPlace = { position: 0, sha256: null }

/** Continues the chain with these entries, in this order. */
export function sealEntries(head: ChainPlace, sealedAt: string, entries: readonly AuditRow[]): AuditSeal[] {
  let last = head
  return entries.map((entry) => {
    const fields = {
      position: last.position + 1,
      entry_id: entry.id,
      entry_sha256: rowSha256(entry),
      previous_sha256: last.sha256,
      sealed_at: sealedAt,
    }
    const seal = { ...fields, sha256: sealSha256(fields) }
    last = seal
    return seal
  })
}

export interface ChainMismatch {
  problem: string
  position: number
  entryId: string
}

/**
 * Compares a stretch of the chain, in order, with its entries. It continues after a mismatch, so that one changed entry is one
 * finding. `from` is the seal before the stretch; undefined if it is not known.
 */
export function compareChain(
  rows: readonly { seal: AuditSeal; entry: AuditRow | null }[],
  from: ChainPlace | undefined,
): { mismatches: ChainMismatch[]; to: ChainPlace | undefined } {
  const mismatches: ChainMismatch[] = []
  let to = from
  for (const { seal, entry } of rows) {
    const found = (problem: string) => mismatches.push({ problem, position: seal.position, entryId: seal.entry_id })
    if (to && seal.position !== to.position + 1) found('seals before this one are missing, or seals are out of order')
    else if (to && (seal.previous_sha256 ?? null) !== to.sha256) found('the link to the seal before is broken')
    if (sealSha256(seal) !== seal.sha256) found('the seal was changed')
    if (entry === null) found('the entry was removed')
    else if (entry.id !== seal.entry_id) found('the entry is under the seal of another entry')
    else if (rowSha256(entry) !== seal.entry_sha256) found('the entry was changed after it was sealed')
    to = { position: seal.position, sha256: seal.sha256 }
  }
  return { mismatches, to }
}
