import { isDeepStrictEqual } from 'node:util'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { signProof, type ConsentProof, type ProofContent, type ProvenEvent } from './consent-proof.ts'
import { evidenceSha256, sealEvents, type RecordedEvent } from './seal-hashes.ts'
import { parseProofKeys } from './proof-signing-keys.ts'
import { verifyConsentProof } from './verify-consent-proof.ts'

const [key] = parseProofKeys(`p1:${Buffer.alloc(32, 3).toString('base64url')}`)
const [strange] = parseProofKeys(`p1:${Buffer.alloc(32, 4).toString('base64url')}`)

type Gen = fc.GeneratorValue
type Json = Record<string, unknown>
type Part = Json | unknown[]

/** A workspace's record of up to eight events of two contacts, sealed. */
interface Story {
  workspaceId: string
  events: RecordedEvent[]
  evidence: Map<string, { salt: string; content: unknown }>
}

/** Through text, as a file goes. */
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const words = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
const anyWord = () => words
const word = (g: Gen) => g(anyWord)
const oneOf = <T>(g: Gen, items: readonly T[]): T => items[g(fc.nat, { max: items.length - 1 })]!

function recordOf(g: Gen): Story {
  const workspaceId = g(fc.uuid)
  const contacts = [g(fc.uuid), g(fc.uuid)]
  const evidence: Story['evidence'] = new Map()
  const events = Array.from({ length: g(fc.integer, { min: 2, max: 8 }) }, (_, n): RecordedEvent => {
    const id = `0190a3a0-0000-7000-8000-00000000000${n}`
    const hasEvidence = g(fc.boolean)
    const held = {
      salt: n.toString(16).repeat(32),
      content: { ip: word(g), at: g(fc.nat), tags: [word(g), null, true] },
    }
    if (hasEvidence) evidence.set(id, held)
    return {
      workspace_id: workspaceId,
      id,
      contact_id: n < 2 ? contacts[n]! : oneOf(g, contacts),
      kind: oneOf(g, ['granted', 'withdrawn', 'suppressed', 'resolved']),
      scope: 'audience',
      audience_id: 'a',
      source: word(g),
      wording_version: word(g),
      ...(hasEvidence ? { evidence_sha256: evidenceSha256(held.salt, held.content) } : {}),
      actor: word(g),
      actor_kind: 'human',
      correlation_id: word(g),
      occurred_at: `2026-07-28T10:00:0${n}+00:00`,
      recorded_at: `2026-07-28T10:00:0${n}+00:00`,
    }
  })
  return { workspaceId, events, evidence }
}

/** The exported proof of the nth event's contact, as parsed from a file. */
function proofOf({ workspaceId, events, evidence }: Story, contactId: string, by = key): ConsentProof {
  const chain = { workspaceId, head: undefined, contactHeads: new Map(), sealedAt: '2026-07-28T11:00:00+00:00' }
  const seals = sealEvents(chain, events)
  const proven = events.map((event, index): ProvenEvent => {
    const held = evidence.get(event.id)
    const none = {
      state: event['evidence_sha256'] === undefined ? ('none' as const) : ('erased' as const),
      salt: null,
      content: null,
    }
    return { event, evidence: held ? { state: 'held', ...held } : none, seal: seals[index]! }
  })
  const content: ProofContent = {
    format: 'lettergate.consent-proof.v1',
    workspace: { id: workspaceId, organization: 'acme', slug: 'newsletter', name: 'Acme' },
    contact: {
      id: contactId,
      exists: true,
      normalized_email: 'a@example.com',
      legacy_consent_classification: null,
      legacy_consent_evidence: null,
    },
    audiences: [
      {
        id: 'a',
        name: 'Monthly',
        slug: 'monthly',
        eligible: false,
        consent_event_id: events[0]!.id,
        reasons: [{ reason: 'not_subscribed', based_on: [{ kind: 'membership', id: 'a', since: null }] }],
      },
    ],
    suppressions: [
      { id: 's', scope: 'workspace', audience_id: null, reason: 'manual', source: 'api', created_at: 'then' },
    ],
    events: proven.filter(({ event }) => event.contact_id === contactId),
  }
  const last = seals.at(-1)!
  return JSON.parse(JSON.stringify(signProof(content, last, by, new Date('2026-07-28T12:00:00Z')))) as ConsentProof
}

/** Every object and list within. */
const partsIn = (value: unknown): Part[] =>
  typeof value !== 'object' || value === null ? [] : [value as Part, ...Object.values(value).flatMap(partsIn)]

function other(g: Gen, value: unknown): unknown {
  if (typeof value === 'string')
    return oneOf(g, [`${value} `, value.slice(1), value.toUpperCase(), `${value}${word(g)}`, null, word(g)])
  if (typeof value === 'number') return oneOf(g, [value + 1, -value - 1, value + 0.5, String(value)])
  if (typeof value === 'boolean') return !value
  return value === null ? oneOf(g, ['', 0, false, {}, word(g)]) : null
}

/** Changes, removes or adds one thing somewhere below. */
function changeAnything(g: Gen, root: Part): void {
  const part = oneOf(g, partsIn(root)) as Json
  const names = Object.keys(part)
  const how = names.length === 0 ? 'add' : oneOf(g, ['change', 'change', 'change', 'remove', 'add'])
  const name = how === 'add' ? word(g) : oneOf(g, names)
  if (how === 'remove' && !Array.isArray(part)) delete part[name]
  else if (how === 'remove') (part as unknown as unknown[]).splice(Number(name), 1)
  else if (how === 'add' && Array.isArray(part)) part.push(word(g))
  else if (how === 'add')
    Object.defineProperty(part, name, { value: word(g), enumerable: true, configurable: true, writable: true })
  else part[name] = other(g, part[name])
}

type Tampering = (g: Gen, proof: ConsentProof, near: ConsentProof, far: ConsentProof) => ConsentProof | undefined

/** A file of the same shape with all hashes right, which only the key could sign. */
const recomputed = (g: Gen, proof: ConsentProof): ConsentProof => {
  const events = copyOf(proof.events.map(({ event }) => event))
  const how = oneOf(g, ['change', 'remove', 'repeat', 'reverse'])
  if (how === 'change') oneOf(g, events)['source'] = `${word(g)} forged`
  else if (how === 'remove') events.splice(g(fc.nat, { max: events.length - 1 }), 1)
  else if (how === 'repeat') events.push({ ...events[0]!, id: 'one-more' })
  else events.reverse()
  if (events.length === 0) return { ...proof, events: [] }
  const evidence = new Map(
    proof.events.flatMap(({ event, evidence: held }) => (held.state === 'held' ? [[event.id, held] as const] : [])),
  )
  return proofOf({ workspaceId: proof.workspace.id, events, evidence }, proof.contact.id, strange)
}

const at = (g: Gen, proof: ConsentProof) => g(fc.nat, { max: proof.events.length - 1 })

const tamperings: { [name: string]: Tampering } = {
  'anything, anywhere': (g, proof) => (changeAnything(g, proof as unknown as Json), proof),
  'an event, its evidence or its seal': (g, proof) => (
    changeAnything(g, oneOf(g, proof.events) as unknown as Json),
    proof
  ),
  'the signed head': (g, proof) => (changeAnything(g, proof.head as unknown as Json), proof),
  'the signature': (g, proof) => (changeAnything(g, proof.signature as unknown as Json), proof),
  'an event removed': (g, proof) => (proof.events.splice(at(g, proof), 1), proof),
  'the tail cut off': (g, proof) => ({ ...proof, events: proof.events.slice(0, at(g, proof)) }),
  'an event twice': (g, proof) => (proof.events.splice(at(g, proof), 0, oneOf(g, proof.events)), proof),
  'events reordered': (g, proof) => ({
    ...proof,
    events: g(() => fc.shuffledSubarray(proof.events, { minLength: proof.events.length })),
  }),
  'an event of another person or workspace inserted': (g, proof, near, far) => (
    proof.events.splice(at(g, proof), 0, oneOf(g, [...near.events, ...far.events])),
    proof
  ),
  'an event exchanged for one of another proof': (g, proof, near, far) => (
    (proof.events[at(g, proof)] = oneOf(g, [...near.events, ...far.events])),
    proof
  ),
  'a part of an event from another event': (g, proof, near) => {
    const part = oneOf(g, ['event', 'evidence', 'seal'] as const)
    Object.assign(proof.events[at(g, proof)]!, { [part]: oneOf(g, [...near.events, ...proof.events])[part] })
    return proof
  },
  'a part of the file from another proof': (g, proof, near, far) => {
    const part = oneOf(g, ['workspace', 'contact', 'events', 'head', 'signature'] as const)
    return { ...proof, [part]: oneOf(g, [near, far])[part] }
  },
  'every hash recomputed, the old signature': (g, proof) => ({ ...recomputed(g, proof), signature: proof.signature }),
  'every hash recomputed, the old head and signature': (g, proof) => ({
    ...recomputed(g, proof),
    head: proof.head,
    signature: proof.signature,
  }),
  'every hash recomputed, signed by another key that claims to be ours': (g, proof) => {
    const forged = recomputed(g, proof)
    return {
      ...forged,
      signature: {
        ...forged.signature,
        public_key: proof.signature.public_key,
        fingerprint: proof.signature.fingerprint,
      },
    }
  },
  'every hash recomputed, signed by another key': (g, proof) => recomputed(g, proof),
  'an event changed by the holder of the key': (g, proof) => {
    const { head, signature: _, ...content } = copyOf(proof)
    changeAnything(g, oneOf(g, content.events).event as unknown as Json)
    // a text that cannot be hashed cannot be signed
    if (isDeepStrictEqual(content.events, proof.events) || /\\ud[89a-f]/i.test(JSON.stringify(content)))
      return undefined
    return signProof(content, { position: head.position, sha256: head.sha256! }, key, new Date())
  },
}

test('each of 10,000 changes of every kind is detected, and every unchanged proof is intact', () => {
  const counted = new Map<string, number>()
  const names = Object.keys(tamperings)
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const record = recordOf(g)
      const [ours, theirs] = [record.events[0]!.contact_id, record.events[1]!.contact_id]
      const elsewhere = recordOf(g)
      const proof = proofOf(record, ours)
      const near = proofOf(record, theirs)
      const far = proofOf(elsewhere, elsewhere.events[0]!.contact_id)
      for (const one of [proof, near, far])
        expect(verifyConsentProof(one, key.fingerprint)).toMatchObject({ findings: [], doubts: [] })

      for (let done = 0; done < 20;) {
        const name = oneOf(g, names)
        const tampered = tamperings[name]!(g, copyOf(proof), near, far)
        if (tampered === undefined || isDeepStrictEqual(tampered, proof)) continue
        const isFound = verifyConsentProof(tampered, key.fingerprint).findings.length > 0
        if (!isFound) throw new Error(`not found: ${name}\n${JSON.stringify(tampered)}`)
        counted.set(name, (counted.get(name) ?? 0) + 1)
        done += 1
      }
    }),
    { numRuns: 500 },
  )
  expect([...counted.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(10_000)
  expect(names.filter((name) => (counted.get(name) ?? 0) < 100)).toEqual([])
})
