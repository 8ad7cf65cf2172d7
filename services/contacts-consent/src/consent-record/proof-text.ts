import type { AudienceVerdict, ConsentProof, Ground, ProvenEvent } from './consent-proof.ts'
import type { Verification } from './verify-consent-proof.ts'

export interface ProofTextOptions {
  /** whether the caller gave a key fingerprint */
  isKeyNamed: boolean
  /** audiences that the contact never had to do with, too */
  showsEveryAudience: boolean
}

/**
 * The text output for one checked proof. The first line says whether the file is intact. If it is not, or if its record
 * contradicts its verdicts, only the problems are shown. Control characters of a hostile file are removed.
 */
export function proofText({ findings, doubts, proof }: Verification, options: ProofTextOptions): string {
  const lines = linesOf(findings, doubts, proof, options)
  return `${lines.map(printable).join('\n')}\n`
}

function linesOf(
  findings: readonly string[],
  doubts: readonly string[],
  proof: ConsentProof | undefined,
  { isKeyNamed, showsEveryAudience }: ProofTextOptions,
): string[] {
  const listed = (problems: readonly string[]) => problems.map((problem) => `  - ${problem}`)
  if (!proof || findings.length > 0) return ['NOT INTACT. Do not rely on this file.', ...listed(findings)]
  if (doubts.length > 0)
    return ['INTACT, BUT DO NOT RELY ON IT: verdicts do not follow from the record.', ...listed(doubts)]
  return [
    'INTACT. Nothing was changed, removed, inserted or reordered.',
    '',
    ...about(proof, showsEveryAudience),
    '',
    ...trust(proof, isKeyNamed),
  ]
}

// oxlint-disable-next-line no-control-regex
const printable = (line: string) => line.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

function about(proof: ConsentProof, showsEveryAudience: boolean): string[] {
  const { contact, workspace, head } = proof
  const audiences = proof.audiences.filter((audience) => showsEveryAudience || concerns(proof, audience))
  const others = proof.audiences.length - audiences.length
  const who = contact.normalized_email ?? (contact.exists ? 'address not shown' : 'deleted, no address is left')
  const where = workspace.name ?? workspace.id
  return [
    `Contact    ${who} (${contact.id})`,
    `Workspace  ${where} (${workspace.organization ?? '?'}/${workspace.slug ?? '?'}, ${workspace.id})`,
    `As of      ${head.exported_at}`,
    '',
    proof.events.length === 0 ? 'The consent record holds nothing about this contact.' : 'Consent record:',
    ...proof.events.map(eventLine),
    '',
    proof.audiences.length === 0 ? 'There is no audience to be mailed for.' : 'May this contact be mailed?',
    ...audiences.flatMap((audience) => verdictLines(audience, proof.events)),
    ...(others === 0
      ? []
      : [`  Not for ${others} other audiences, which this contact never had to do with. ALL=true shows them.`]),
  ]
}

/** Whether the contact may be mailed for it, is or was a member, or has a consent event or a suppression there. */
const concerns = ({ events, suppressions }: ConsentProof, audience: AudienceVerdict): boolean =>
  audience.eligible ||
  audience.consent_event_id !== null ||
  !audience.reasons.some(({ reason }) => reason === 'not_subscribed') ||
  events.some(({ event }) => event['audience_id'] === audience.id) ||
  suppressions.some((suppression) => suppression.audience_id === audience.id)

const isUnset = (value: unknown) => value === undefined || value === null
const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function eventLine({ event, evidence }: ProvenEvent, index: number): string {
  const about = [
    isUnset(event['audience_id']) ? `scope ${text(event['scope'])}` : `audience ${text(event['audience_id'])}`,
    isUnset(event['wording_version']) ? '' : `wording ${text(event['wording_version'])}`,
    isUnset(event['reason']) ? '' : `reason ${text(event['reason'])}`,
    `source ${text(event['source'])}`,
    `by ${text(event['actor'])} (${text(event['actor_kind'])})`,
    evidenceWords[evidence.state] ?? '',
  ]
  return `  ${index + 1}. ${text(event['occurred_at'])} ${text(event['kind'])}: ${about.filter((part) => part !== '').join(', ')}`
}

const evidenceWords: Record<string, string> = {
  held: 'evidence in the file',
  erased: 'evidence erased, its hash is sealed',
  none: 'no evidence was given',
}

function verdictLines(audience: AudienceVerdict, events: readonly ProvenEvent[]): string[] {
  const numberOf = (id: string | null) => events.findIndex(({ event }) => event.id === id) + 1
  const name = `  ${audience.name} (${audience.id}):`
  if (audience.eligible) return [`${name} MAY be mailed, by event ${numberOf(audience.consent_event_id) || '?'}.`]
  const ground = ({ kind, id, since }: Ground) => {
    if (kind === 'consent_event') return `event ${numberOf(id) || '?'}`
    return `${kind}${id === null ? '' : ` ${id}`}${since === null ? '' : ` since ${since}`}`
  }
  return [
    `${name} may NOT be mailed:`,
    ...audience.reasons.map(({ reason, based_on }) => {
      const grounds = based_on.length === 0 ? '' : ` (${based_on.map(ground).join('; ')})`
      return `    ${reason}${grounds}`
    }),
  ]
}

const trust = ({ head, signature }: ConsentProof, isKeyNamed: boolean): string[] => [
  `Chain      ${head.contact_events} events of this contact, up to ${head.contact_sha256 ?? 'none'};`,
  `           position ${head.position} of the workspace, ${head.sha256 ?? 'none'}`,
  `Signed by  ${signature.key_id}, fingerprint ${signature.fingerprint}`,
  isKeyNamed
    ? '           which is the key that you named.'
    : '           Whose key that is, the file cannot say: compare the fingerprint with the published one, or pass KEY_FINGERPRINT=.',
]
