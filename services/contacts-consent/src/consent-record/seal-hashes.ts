import { hash, randomBytes } from 'node:crypto'
import { canonicalJson, rowSha256 as eventSha256, sealSha256 } from '@lettergate/canonical-json'

export { eventSha256, sealSha256 }

/** JSON as it comes out of `JSON.parse`. */
export type Json = Record<string, unknown>

/** A row of the consent event table. Null columns are left out of the hash, so that a new column changes no hash. */
export interface RecordedEvent extends Json {
  readonly id: string
  readonly contact_id: string
}

/** The seal of one event. The first seal of a chain has no previous hash. */
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

const saltBytes = 16

/** A salt, so that erased evidence cannot be guessed from its hash. */
export const newSalt = (): string => randomBytes(saltBytes).toString('hex')

/** As many salts, of one call: each call asks the system for random bytes. */
export function newSalts(count: number): string[] {
  const all = randomBytes(count * saltBytes).toString('hex')
  return Array.from({ length: count }, (_, n) => all.slice(n * saltBytes * 2, (n + 1) * saltBytes * 2))
}

/** SHA-256 over the salt's bytes and a text that is the evidence as RFC 8785 JSON already. */
export const evidenceTextSha256 = (salt: string, canonicalText: string): string =>
  hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(canonicalText)]), 'hex')

/** SHA-256 over the salt's bytes and the evidence as RFC 8785 JSON. */
export const evidenceSha256 = (salt: string, evidence: unknown): string =>
  evidenceTextSha256(salt, canonicalJson(evidence))

/** The ends of a workspace's chain and of the chains of contacts, and the time of the seals that follow. */
export interface Chain {
  readonly workspaceId: string
  readonly head: Head | undefined
  readonly contactHeads: ReadonlyMap<string, Head>
  readonly sealedAt: string
}

/** Continues a workspace's chain: each call seals the next event. */
export function openChain(chain: Chain): (event: RecordedEvent) => Seal {
  const contactHeads = new Map(chain.contactHeads)
  let head = chain.head
  return (event) => {
    const contactHead = contactHeads.get(event.contact_id)
    const fields = {
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
    const seal = { ...fields, sha256: sealSha256(fields) }
    head = { position: seal.position, sha256: seal.sha256 }
    contactHeads.set(seal.contact_id, { position: seal.contact_position, sha256: seal.sha256 })
    return seal
  }
}

/** Continues a workspace's chain with these events, in this order. */
export const sealEvents = (chain: Chain, events: readonly RecordedEvent[]): Seal[] => events.map(openChain(chain))
