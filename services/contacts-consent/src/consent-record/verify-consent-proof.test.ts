import { expect, test } from '@jest/globals'
import { sha256Of } from '@lettergate/canonical-json'
import { signProof, type ConsentProof, type ProvenEvent } from './consent-proof.ts'
import { evidenceSha256, sealEvents, sealSha256, type RecordedEvent } from './seal-hashes.ts'
import { parseProofKeys } from './proof-signing-keys.ts'
import { proofText } from './proof-text.ts'
import { verifyConsentProof } from './verify-consent-proof.ts'

const [key] = parseProofKeys(`p1:${Buffer.alloc(32, 3).toString('base64url')}`)
const [strange] = parseProofKeys(`p1:${Buffer.alloc(32, 4).toString('base64url')}`)
const salt = '0f'.repeat(16)
const content = { ip: '192.0.2.1' }

const eventOf = (n: number, contact: string, more: object = {}): RecordedEvent => ({
  workspace_id: 'w',
  id: `event-${n}`,
  contact_id: contact,
  kind: 'granted',
  scope: 'audience',
  audience_id: 'monthly',
  source: 'form',
  wording_version: 'v1',
  evidence_sha256: evidenceSha256(salt, content),
  actor: 'owner',
  actor_kind: 'human',
  correlation_id: 'c',
  occurred_at: `2026-07-28T10:0${n}:00+00:00`,
  recorded_at: `2026-07-28T10:0${n}:00+00:00`,
  ...more,
})

/** A proof of contact a, in a workspace where others' events lie between. */
function proofOf(
  contact = 'a',
  more: object = {},
  reasons: ConsentProof['audiences'][0]['reasons'] = [],
): ConsentProof {
  const record = [
    eventOf(1, 'a'),
    eventOf(2, 'b'),
    eventOf(3, 'a'),
    eventOf(4, 'b'),
    eventOf(5, contact, more),
    eventOf(6, 'z'),
  ]
  const chain = { workspaceId: 'w', head: undefined, contactHeads: new Map(), sealedAt: '2026-07-28T11:00:00+00:00' }
  const seals = sealEvents(chain, record)
  const events = record.flatMap((event, index): ProvenEvent[] =>
    event.contact_id === contact ? [{ event, evidence: { state: 'held', salt, content }, seal: seals[index]! }] : [],
  )
  const proof = signProof(
    {
      format: 'lettergate.consent-proof.v1',
      workspace: { id: 'w', organization: 'acme', slug: 'newsletter', name: 'Acme' },
      contact: {
        id: contact,
        exists: true,
        normalized_email: 'a@example.com',
        legacy_consent_classification: null,
        legacy_consent_evidence: null,
      },
      audiences: [
        {
          id: 'monthly',
          name: 'Monthly',
          slug: 'monthly',
          eligible: reasons.length === 0,
          consent_event_id: 'event-5',
          reasons,
        },
      ],
      suppressions: [],
      events,
    },
    { position: 6, sha256: seals[5]!.sha256 },
    key,
    new Date('2026-07-28T12:00:00Z'),
  )
  return JSON.parse(JSON.stringify(proof)) as ConsentProof
}

/** The findings for a proof after this change. */
function after(change: (proof: ConsentProof) => void, base = proofOf()): string {
  const proof = structuredClone(base)
  change(proof)
  return verifyConsentProof(proof).findings.join('\n')
}

const options = { isKeyNamed: false, showsEveryAudience: false }

test('an unchanged proof is intact, bare or as the route answers it, and its text has the contact, the reasons and the key', () => {
  const proof = proofOf()
  expect(verifyConsentProof(proof)).toEqual({ findings: [], doubts: [], proof })
  expect(verifyConsentProof({ proof }, key.fingerprint).findings).toEqual([])
  const words = proofText(verifyConsentProof(proof), options)
  for (const part of [
    'a@example.com',
    'INTACT',
    'MAY be mailed, by event 3',
    key.fingerprint,
    'KEY_FINGERPRINT',
    'wording v1',
  ])
    expect(words).toContain(part)
})

test('a refusal is shown with every reason and its evidence', () => {
  const reasons = [
    {
      reason: 'consent_withdrawn' as const,
      based_on: [{ kind: 'consent_event' as const, id: 'event-5', since: null }],
    },
  ]
  const words = proofText(verifyConsentProof(proofOf('a', { kind: 'withdrawn' }, reasons)), options)
  expect(words).toContain('may NOT be mailed:\n    consent_withdrawn (event 3)')
})

test('the verification reports which event was changed, removed, inserted, exchanged or reordered', () => {
  const other = proofOf('b').events
  expect(after(({ events }) => void (events[1]!.event['wording_version'] = 'v2'))).toMatch(
    /Event 2 \(granted, event-3.* was changed/,
  )
  expect(after(({ events }) => void delete events[1]!.event['source'])).toMatch(/event-3.* was changed/)
  expect(after(({ events }) => void events.splice(1, 1))).toContain('Event number 2 of this contact was removed.')
  expect(after(({ events }) => void events.pop())).toContain('Event number 3 of this contact was removed.')
  expect(after(({ events }) => void events.splice(1, 0, other[0]!))).toMatch(
    /Event 2 .*event-2.* belongs to another contact/,
  )
  expect(after(({ events }) => void events.splice(1, 0, events[1]!))).toMatch(/Event 3 .*event-3.* stands here twice/)
  expect(after(({ events }) => void events.reverse())).toMatch(/event-3.* stands out of order/)
  expect(after(({ events }) => void (events[0]!.event = events[1]!.event))).toMatch(
    /Event 1 .*event-3.* it was exchanged/,
  )
  expect(
    after(({ events }) => void (events[0]!.evidence = { state: 'held', salt, content: { ip: '198.51.100.9' } })),
  ).toMatch(/event-1.* evidence was changed/)
  expect(after(({ events }) => void (events[0]!.seal = { ...events[0]!.seal, sealed_at: 'earlier' }))).toMatch(
    /event-1.* its seal was changed/,
  )
})

test('a proof of erased evidence is intact and says so; evidence that is removed from a file is detected', () => {
  const base = proofOf()
  const { head: _, signature: __, ...content } = base
  const erased = {
    ...content,
    events: content.events.map((one) => ({
      ...one,
      evidence: { state: 'erased' as const, salt: null, content: null },
    })),
  }
  const proof = signProof(erased, { position: 6, sha256: base.head.sha256! }, key, new Date())
  const verification = verifyConsentProof(proof)
  expect(verification.findings).toEqual([])
  expect(proofText(verification, options)).toContain('evidence erased, its hash is sealed')
  expect(after((one) => void (one.events[0]!.evidence = erased.events[0]!.evidence))).toContain('not what was signed')
  expect(after((one) => void (one.events[0]!.evidence = { state: 'none', salt: null, content: null }))).toMatch(
    /event-1.* evidence was/,
  )
})

test('the data outside the record is signed too: verdict, reasons, address, suppressions', () => {
  for (const change of [
    (proof: ConsentProof) => void (proof.contact.normalized_email = 'else@example.com'),
    (proof: ConsentProof) => void (proof.audiences = []),
    (proof: ConsentProof) => void Object.assign(proof.workspace, { name: 'Other' }),
    (proof: ConsentProof) => void Object.assign(proof, { note: 'more' }),
  ])
    expect(after(change)).toContain('something in it was changed')
})

test('a file with recomputed hashes has no valid signature, and another key does not match the given fingerprint', () => {
  const forged = proofOf('a', { wording_version: 'v9' })
  const { head: _, signature: __, ...content } = forged
  const honest = proofOf()
  const unsigned = { ...forged, signature: honest.signature }
  expect(verifyConsentProof(unsigned).findings.join()).toContain('The signature is not right')
  const resigned = signProof(content, { position: 6, sha256: forged.head.sha256! }, strange, new Date())
  expect(verifyConsentProof(resigned, key.fingerprint).findings.join()).toContain('signed with another key')
  expect(
    verifyConsentProof({
      ...resigned,
      signature: { ...resigned.signature, fingerprint: key.fingerprint },
    }).findings.join(),
  ).toContain('not what the file says of it')
})

test('a re-signed file with a changed event is detected by its chain', () => {
  const base = proofOf()
  const { head: _, signature: __, ...content } = base
  content.events[1]!.event['wording_version'] = 'v9'
  const resigned = signProof(content, { position: 6, sha256: base.head.sha256! }, key, new Date())
  expect(verifyConsentProof(resigned).findings).toEqual([expect.stringMatching(/event-3.* was changed/)])
})

test('the first line says whether the file is intact, and a file that is not intact shows no verdict', () => {
  const intact = proofText(verifyConsentProof(proofOf()), options)
  expect(intact).toMatch(/^INTACT\. Nothing was changed/)
  expect(intact).toContain('MAY be mailed')
  const changed = proofOf()
  changed.events[0]!.event['wording_version'] = 'v9'
  for (const file of [changed, {}, 7]) {
    const words = proofText(verifyConsentProof(file), { ...options, showsEveryAudience: true })
    expect(words).toMatch(/^NOT INTACT\. Do not rely on this file\.\n  - /)
    expect(words).not.toMatch(/MAY be mailed|may NOT be mailed|Contact  /)
  }
})

test('an intact file with a verdict that contradicts its record is reported as unreliable', () => {
  const withdrawn = verifyConsentProof(proofOf('a', { kind: 'withdrawn' }))
  expect(withdrawn).toMatchObject({ findings: [], doubts: [expect.stringContaining('no consent in force')] })
  const words = proofText(withdrawn, options)
  expect(words).toMatch(/^INTACT, BUT DO NOT RELY ON IT/)
  expect(words).not.toMatch(/MAY be mailed|may NOT be mailed/)
  const suppressed = verifyConsentProof(proofOf('a', { kind: 'suppressed', suppression_id: 's' }))
  expect(suppressed.doubts).toEqual([expect.stringContaining('nobody resolved')])
})

test('the verification answers for any input and never throws', () => {
  const proof = proofOf()
  const odd = [
    null,
    7,
    'x',
    [],
    {},
    { proof: {} },
    { proof, more: 1 },
    { ...proof, events: [7] },
    { ...proof, head: [] },
  ]
  for (const file of [...odd, { ...proof, audiences: [null] }, { ...proof, contact: { id: '\ud800' } }]) {
    const verification = verifyConsentProof(file)
    expect(verification.findings).not.toEqual([])
    expect(proofText({ ...verification, proof: verification.proof && proof }, options)).toContain('NOT INTACT')
  }
  expect(sealSha256({})).toBe(sha256Of({}))
})

test('a file cannot write control characters to the terminal', () => {
  const verification = verifyConsentProof(proofOf('a', { source: '\u001b[2J\u202eINTACT' }))
  const words = proofText(verification, options)
  for (const mark of ['\u001b', '\u202e']) expect(words).not.toContain(mark)
})
