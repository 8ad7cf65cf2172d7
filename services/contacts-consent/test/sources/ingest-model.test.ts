import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { newSource, openContacts, type ContactsStage } from '../source-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

interface Attempt {
  key: number
  event: number
  /** which of the payloads under this event id */
  variant: number
  /** refused for its origin, with any other content */
  isForeign: boolean
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  key: fc.nat({ max: 4 }),
  event: fc.nat({ max: 4 }),
  variant: fc.nat({ max: 1 }),
  isForeign: fc.integer({ min: 0, max: 6 }).map((n) => n === 0),
})

const samePayload = (one: Attempt, other: Attempt) => one.event === other.event && one.variant === other.variant

/** A simple model of the rule: a list of accepted events that is searched from the beginning for each attempt. */
function modelOf() {
  const taken: Attempt[] = []
  return {
    taken,
    tell(next: Attempt): string {
      if (next.isForeign) return 'permission_denied'
      const earlier = taken.find((one) => one.key === next.key) ?? taken.find((one) => one.event === next.event)
      if (earlier) return samePayload(earlier, next) ? `duplicate of ${taken.indexOf(earlier)}` : 'conflict'
      taken.push(next)
      return 'accepted'
    },
  }
}

/** Attempts against a source of its own, with ids that nothing else has. */
async function newRun() {
  const source = await newSource(s)
  const events = Array.from({ length: 5 }, () => randomUUID())
  const mark = randomUUID()
  const captured = source.event().capturedAt
  const hand = ({ key, event, variant, isForeign }: Attempt) => {
    const bare = source.event({
      sourceEventId: events[event]!,
      // two variants of one event are two people, and some people sign up through two events
      contact: { email: `${mark}.${(event + variant) % 4}@example.com`, firstName: `v${variant}` },
      capturedAt: captured,
    })
    return source.ingest(
      isForeign ? { ...bare, source: { ...bare.source, pageOrigin: 'https://foreign.example' } } : bare,
      `key-${key}`,
    )
  }
  const told = async (next: Attempt) => {
    try {
      const { status, receiptId } = await hand(next)
      return { status, receiptId }
    } catch (error) {
      return { status: (error as { code: string }).code, receiptId: '' }
    }
  }
  const receipts = () =>
    s.stage.query<{ id: string; key: string; event: string; status: string }>(
      'select id, idempotency_key as key, source_event_id as event, status from contacts.source_receipts where source_id = $1',
      [source.id],
    )
  const consents = () =>
    s.stage.query<{ id: string }>('select id from contacts.consent_events where actor = $1', [source.id])
  return { events, told, receipts, consents }
}

test('sequential events give the result of the reference model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 4, maxLength: 14 }), async (attempts) => {
      const run = await newRun()
      const model = modelOf()
      const ids: string[] = []
      for (const next of attempts) {
        const expected = model.tell(next)
        const { status, receiptId } = await run.told(next)
        if (status === 'accepted') ids.push(receiptId)
        expect(status === 'duplicate' ? `duplicate of ${ids.indexOf(receiptId)}` : status).toBe(expected)
      }
      expect(await run.receipts()).toHaveLength(model.taken.length)
      expect(await run.consents()).toHaveLength(model.taken.length)
    }),
    { numRuns: 25 },
  )
})

test('concurrent events give the result of some sequential order, and the answers show which were accepted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 6, maxLength: 40 }), async (attempts) => {
      const run = await newRun()
      const told = await Promise.all(attempts.map(run.told))
      const receipts = await run.receipts()
      const firsts = attempts.filter((_, index) => told[index]!.status === 'accepted')
      // Those that were taken are all taken one after the other; every other attempt met one of them.
      const model = modelOf()
      for (const first of firsts) expect(model.tell(first)).toBe('accepted')
      const idOf = told.filter((one) => one.status === 'accepted').map((one) => one.receiptId)
      for (const [index, { status, receiptId }] of told.entries()) {
        const one = attempts[index]!
        const met = firsts.filter((first) => first.key === one.key || first.event === one.event)
        if (one.isForeign) expect(status).toBe('permission_denied')
        else if (status === 'duplicate') {
          const original = firsts[idOf.indexOf(receiptId)]!
          expect(met).toContain(original)
          expect(samePayload(original, one)).toBe(true)
        } else if (status !== 'accepted') {
          expect(status).toBe('conflict')
          expect(met.some((first) => !samePayload(first, one))).toBe(true)
        }
      }
      expect(receipts.map((receipt) => receipt.id).sort()).toEqual([...idOf].sort())
      expect(receipts.map(({ key, event }) => `${key} ${event}`).sort()).toEqual(
        firsts.map(({ key, event }) => `key-${key} ${run.events[event]!}`).sort(),
      )
      expect(await run.consents()).toHaveLength(firsts.length)
    }),
    { numRuns: 25 },
  )
})
