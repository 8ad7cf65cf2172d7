import { canonicalJson, sha256Of } from '@lettergate/canonical-json'
import type { ConsentProof, ProofHead, ProvenEvent } from './consent-proof.ts'
import { proofFormat } from './consent-proof.ts'
import { eventSha256, evidenceSha256, sealSha256, type Seal } from './seal-hashes.ts'
import { contradictions } from './proof-contradictions.ts'
import { fingerprintOfPublicKey, isSignedBy } from './proof-signing-keys.ts'

/** The result of checking one file. A file with findings or doubts is not reliable. */
export interface Verification {
  /** empty means intact: nothing was changed, removed, inserted or reordered */
  findings: string[]
  /** the verdicts "may be mailed" of an intact file that its record contradicts */
  doubts: string[]
  /** undefined if the file is not a readable proof */
  proof: ConsentProof | undefined
}

/**
 * Verifies a consent proof offline: the events against their seals, the seals against each other and the signed head, the head
 * against its signature, and the key against `fingerprint` if it is given. It never throws.
 */
export function verifyConsentProof(file: unknown, fingerprint?: string): Verification {
  const proof = proofIn(file)
  if (!proof) return { findings: ['This is not a consent proof: its parts are missing.'], doubts: [], proof: undefined }
  try {
    const findings = [...recordFindings(proof), ...signatureFindings(proof, fingerprint)]
    return { findings, doubts: findings.length === 0 ? contradictions(proof) : [], proof }
  } catch {
    const findings = ['The file cannot be read as a consent proof: a part is not what it should be.']
    return { findings, doubts: [], proof: undefined }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The proof itself, or the answer of the route that contains only the proof. */
function proofIn(file: unknown): ConsentProof | undefined {
  const wrapped = isObject(file) && isObject(file['proof']) && Object.keys(file).length === 1
  const proof = wrapped ? file['proof'] : file
  if (!isObject(proof) || proof['format'] !== proofFormat) return undefined
  const objects = ['workspace', 'contact', 'head', 'signature']
  const lists = ['audiences', 'suppressions', 'events']
  if (!objects.every((name) => isObject(proof[name])) || !lists.every((name) => Array.isArray(proof[name])))
    return undefined
  const isEvent = (one: unknown) => isObject(one) && ['event', 'evidence', 'seal'].every((name) => isObject(one[name]))
  return (proof['events'] as unknown[]).every(isEvent) ? (proof as unknown as ConsentProof) : undefined
}

/** The mismatches between the events, their evidence, their seals and the head, with the event. */
export function recordFindings({ events, head }: Pick<ConsentProof, 'events' | 'head'>): string[] {
  return [...events.flatMap((one, index) => ownFindings(one, index, head)), ...orderFindings(events, head)]
}

const nameOf = ({ event }: ProvenEvent, index: number) =>
  `Event ${index + 1} (${event['kind'] as string}, ${event.id}, ${event['occurred_at'] as string})`

/** Of one event, looked at alone. */
function ownFindings(one: ProvenEvent, index: number, head: ProofHead): string[] {
  const { event, seal } = one
  const name = nameOf(one, index)
  const findings: string[] = []
  if (sealSha256(seal) !== seal.sha256) findings.push(`${name}: its seal was changed.`)
  if (seal.event_id !== event.id) findings.push(`${name} stands under the seal of another event: it was exchanged.`)
  else if (eventSha256(event) !== seal.event_sha256) findings.push(`${name} was changed after it was sealed.`)
  const isOurs = [event, seal].every(
    (part) => part.contact_id === head.contact_id && part['workspace_id'] === head.workspace_id,
  )
  if (!isOurs) findings.push(`${name} belongs to another contact or workspace: it was inserted.`)
  if (!isEvidenceRight(one)) findings.push(`${name}: its evidence was changed, removed or inserted.`)
  return findings
}

function isEvidenceRight({ event, evidence }: ProvenEvent): boolean {
  const hash = event['evidence_sha256'] ?? null
  if (evidence.state === 'held')
    return /^[0-9a-f]{32}$/.test(evidence.salt) && evidenceSha256(evidence.salt, evidence.content) === hash
  const isEmpty = evidence.salt === null && evidence.content === null
  return isEmpty && (evidence.state === 'erased' ? hash !== null : evidence.state === 'none' && hash === null)
}

/** Problems in the sequence of events: missing or repeated events, broken links, or a last event that differs from the head. */
function orderFindings(events: readonly ProvenEvent[], head: ProofHead): string[] {
  const findings: string[] = []
  const present = new Set(events.map(({ seal }) => seal.contact_position))
  for (let position = 1; position <= Math.min(head.contact_events, events.length + 1_000); position += 1) {
    if (!present.has(position)) findings.push(`Event number ${position} of this contact was removed.`)
  }
  let before: Seal | undefined
  for (const [index, one] of events.entries()) {
    const { seal } = one
    const link = linkFinding(before, seal)
    if (link !== undefined) findings.push(`${nameOf(one, index)} ${link}`)
    if (seal.position > head.position || seal.contact_position > head.contact_events)
      findings.push(`${nameOf(one, index)} lies behind the signed end of the chain: it was inserted.`)
    if (seal.position === head.position && seal.sha256 !== head.sha256)
      findings.push(`${nameOf(one, index)} does not fit the end of the workspace's chain.`)
    before = seal
  }
  if (events.length !== head.contact_events)
    findings.push(`The signed head counts ${head.contact_events} events, the file holds ${events.length}.`)
  if ((before?.sha256 ?? null) !== head.contact_sha256)
    findings.push(
      "The last event is not the one that the signed head names: the end of the contact's chain was changed.",
    )
  return findings
}

function linkFinding(before: Seal | undefined, seal: Seal): string | undefined {
  const previous = before?.contact_position ?? 0
  if (seal.contact_position === previous) return 'stands here twice: it was inserted.'
  if (seal.contact_position < previous || (before && seal.position <= before.position))
    return 'stands out of order: events were reordered.'
  // the events in between are reported as removed
  if (seal.contact_position !== previous + 1) return undefined
  const isLinked =
    (seal.previous_contact_sha256 ?? null) === (before?.sha256 ?? null) &&
    (!before || seal.position !== before.position + 1 || seal.previous_sha256 === before.sha256)
  return isLinked
    ? undefined
    : 'is not linked to the event before it: one of the two was changed, inserted or exchanged.'
}

/** Of the signature, and of everything else in the file, which the head holds by its hash. */
function signatureFindings(proof: ConsentProof, fingerprint: string | undefined): string[] {
  const { head, signature, ...content } = proof
  const findings: string[] = []
  if (head.content_sha256 !== sha256Of(content))
    findings.push('What the file shows is not what was signed: something in it was changed.')
  if (head.contact_id !== proof.contact.id || head.workspace_id !== proof.workspace.id)
    findings.push('The signed head is of another contact or workspace: it was exchanged.')
  const known = fingerprintOfPublicKey(signature.public_key)
  const isComplete = Object.keys(signature).toSorted().join() === 'ed25519,fingerprint,key_id,public_key'
  if (!isComplete || known !== signature.fingerprint || signature.key_id !== head.key_id)
    findings.push('The signing key in the file is not what the file says of it.')
  if (!isSignedBy(signature.public_key, canonicalJson(head), signature.ed25519))
    findings.push('The signature is not right: the signed head was changed, or somebody else signed.')
  if (fingerprint !== undefined && fingerprint.toLowerCase() !== known)
    findings.push(`The file was signed with another key (${String(known)}) than the one you name.`)
  return findings
}
