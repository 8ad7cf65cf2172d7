import { expect, test } from '@jest/globals'
import { compareSeals } from './compare-seals.ts'
import type { SealedRow } from './consent-seal.entity.ts'
import { eventSha256, evidenceSha256, sealEvents, sealSha256, type RecordedEvent } from './seal-hashes.ts'

const event = (id: string, contact: string): RecordedEvent => ({ id, contact_id: contact, kind: 'granted' })
const seal = (events: RecordedEvent[]) =>
  sealEvents(
    { workspaceId: 'w', head: undefined, contactHeads: new Map(), sealedAt: '2026-07-28T10:00:00+00:00' },
    events,
  )

test('a hash does not depend on the order of fields or on empty fields', () => {
  expect(eventSha256({ id: '1', contact_id: 'a', reason: null })).toBe(eventSha256({ contact_id: 'a', id: '1' }))
  expect(eventSha256({ id: '1', contact_id: 'b' })).not.toBe(eventSha256({ id: '1', contact_id: 'a' }))
})

test('hashes do not change between releases, so that old files can be verified', () => {
  expect(eventSha256(event('1', 'a'))).toBe('24382c7e4ece3a82a80488b4918abdd627af1d8d9034e847cbc7cc60837b77b9')
  expect(evidenceSha256('00'.repeat(16), { ip: '192.0.2.1', n: 1.5 })).toBe(
    'e1481e4d7a4b8612f93aa42f3ee3b0a39c044ecf21a05e13383cc7243f8453d3',
  )
})

test('seals count the workspace and each contact without a gap, and continue a chain', () => {
  const seals = seal([event('1', 'a'), event('2', 'b'), event('3', 'a')])
  expect(seals.map((one) => [one.position, one.contact_position])).toEqual([
    [1, 1],
    [2, 1],
    [3, 2],
  ])
  expect(seals.map((one) => one.previous_sha256)).toEqual([null, seals[0]!.sha256, seals[1]!.sha256])
  expect(seals.map((one) => one.previous_contact_sha256)).toEqual([null, null, seals[0]!.sha256])
  const [next] = sealEvents(
    {
      workspaceId: 'w',
      head: { position: 3, sha256: seals[2]!.sha256 },
      contactHeads: new Map([['b', { position: 1, sha256: seals[1]!.sha256 }]]),
      sealedAt: 'later',
    },
    [event('4', 'b')],
  )
  expect(next).toMatchObject({ position: 4, contact_position: 2, previous_contact_sha256: seals[1]!.sha256 })
})

test('the hash of a seal covers all its fields', () => {
  const [one] = seal([event('1', 'a')])
  for (const field of Object.keys(one!).filter((name) => name !== 'sha256')) {
    expect({ field, hash: sealSha256({ ...one, [field]: 'other' }) }).not.toEqual({ field, hash: one!.sha256 })
  }
})

test('comparing a chain with its rows reports every mismatch', () => {
  const events = [event('1', 'a'), event('2', 'b'), event('3', 'a'), event('4', 'b')]
  const links: Record<string, string> = {}
  const rows = seal(events).map((one, index): SealedRow => {
    const contact_link = links[one.contact_id] ?? null
    links[one.contact_id] = one.sha256
    return { seal: one, event: events[index]!, salt: null, evidence: null, contact_link }
  })
  const start = { position: 0, sha256: null }
  const problems = (changed: SealedRow[]) =>
    compareSeals(changed, start).mismatches.map((one) => [one.position, one.problem])
  expect(compareSeals(rows, start)).toEqual({ mismatches: [], to: { position: 4, sha256: rows[3]!.seal.sha256 } })
  const at = (index: number, change: Partial<SealedRow>) =>
    rows.map((row, n) => (n === index ? { ...row, ...change } : row))
  expect(problems(at(1, { event: { ...events[1]!, kind: 'withdrawn' } }))).toEqual([[2, 'the event was changed']])
  expect(problems(at(1, { event: null }))).toEqual([[2, 'the event was removed']])
  expect(problems(at(2, { contact_link: null }))).toEqual([[3, "the link to the contact's seal before is broken"]])
  expect(problems(at(0, { salt: '00', evidence: {} }))).toEqual([[1, 'the evidence was changed']])
  expect(problems(rows.toSpliced(1, 1))).toEqual([[3, 'seals before this one were removed']])
  const forged = { ...rows[1]!.seal, sealed_at: 'earlier' }
  expect(problems(at(1, { seal: forged }))).toEqual([[2, 'the seal was changed']])
  expect(problems(at(1, { seal: { ...forged, sha256: sealSha256(forged) } }))).toEqual([
    [3, 'the link to the seal before is broken'],
  ])
})
