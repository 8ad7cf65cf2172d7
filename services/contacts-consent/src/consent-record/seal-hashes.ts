import { createHash, randomBytes } from 'node:crypto'
import { canonicalJson, sha256Of } from '@lettergate/canonical-json'

/** JSON as it comes out of `JSON.parse`. */
export type Json = Record<string, unknown>

/** A consent event as the table holds it, by column. What is null counts as not there, so that a later column changes no hash. */
export interface RecordedEvent extends Json {
  readonly id: string
  readonly contact_id: string
}

/** What one event's seal says; the first of a chain has no previous hash. */
export interface Seal {
  readonly workspace_id: string
  readonly position: number
  readonly event_id: string
  readonly event_sha256: string
  readonly contact_id: string
  readonly contact_position: number
  readonly previous_contact_sha256?: string | null
  readonly previous_sha256?: string | null
  readonly sealed_at: string
  readonly sha256: string
}

/** The last seal of a chain: of the workspace by position, of a contact by contact_position. */
export interface Head {
  readonly position: number
  readonly sha256: string
}

const withoutNulls = (row: object): Json =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined))

export const eventSha256 = (event: object): string => sha256Of(withoutNulls(event))

/** Keeps erased evidence from being guessed out of its hash. */
export const newSalt = (): string => randomBytes(16).toString('hex')

/** SHA-256 over the salt's bytes and the evidence as RFC 8785 JSON. */
export const evidenceSha256 = (salt: string, evidence: unknown): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(canonicalJson(evidence)).digest('hex')

/** Over all that the seal says but its own hash. */
export const sealSha256 = (seal: object): string => {
  const { sha256: _, ...said } = seal as Json
  return sha256Of(withoutNulls(said))
}

/** Continues a workspace's chain with these events, in this order. */
export function sealEvents(
  chain: { workspaceId: string; head: Head | undefined; contactHeads: ReadonlyMap<string, Head>; sealedAt: string },
  events: readonly RecordedEvent[],
): Seal[] {
  const contactHeads = new Map(chain.contactHeads)
  let head = chain.head
  return events.map((event) => {
    const contactHead = contactHeads.get(event.contact_id)
    const said = {
      workspace_id: chain.workspaceId,
      position: (head?.position ?? 0) + 1,
      event_id: event.id,
      event_sha256: eventSha256(event),
      contact_id: event.contact_id,
      contact_position: (contactHead?.position ?? 0) + 1,
      previous_contact_sha256: contactHead?.sha256 ?? null,
      previous_sha256: head?.sha256 ?? null,
      sealed_at: chain.sealedAt,
    }
    const seal = { ...said, sha256: sealSha256(said) }
    head = { position: seal.position, sha256: seal.sha256 }
    contactHeads.set(seal.contact_id, { position: seal.contact_position, sha256: seal.sha256 })
    return seal
  })
}
