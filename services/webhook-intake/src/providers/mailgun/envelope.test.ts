import fc from 'fast-check'
import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { contentDigest, readEnvelope } from './envelope.ts'
import { parseProviderEvent } from './provider-event.ts'

const hex = (data: Record<string, unknown>) => contentDigest(data).toString('hex')

test('the digest does not depend on key order, and every change of content changes it', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(object, (data) => {
      expect(hex(Object.fromEntries(Object.entries(data).toReversed()))).toBe(hex(data))
      expect(hex({ ...data, more: { text: 'x' } })).not.toBe(hex({ ...data, more: { text: 'y' } }))
    }),
  )
})

test.each([
  ['half a character', JSON.parse('{"a":"\\ud800"}') as Record<string, unknown>],
  ['a number too large for a double', JSON.parse('{"a":1e400}') as Record<string, unknown>],
  [
    'a key that means something to JavaScript',
    JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Record<string, unknown>,
  ],
])('%s has a digest', (_, data) => expect(contentDigest(data)).toHaveLength(32))

const formTypes = {
  'application/x-www-form-urlencoded': (fields: string[]) => fields.map((name) => `${name}=%7B%7D`).join('&'),
  'multipart/form-data; boundary=b': (fields: string[]) =>
    `${fields.map((name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n{}\r\n`).join('')}--b--\r\n`,
}

test.each(Object.entries(formTypes))(
  'a form of more fields than any provider sends is refused before it is taken apart: %s',
  async (contentType, bodyOf) => {
    const read = (others: number) =>
      readEnvelope(
        Buffer.from(bodyOf(['signature', 'event-data', ...Array.from({ length: others }, (_, index) => `f${index}`)])),
        contentType,
      )
    await expect(read(90)).rejects.toMatchObject({ reason: 'signature.timestamp' })
    await expect(read(200)).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'unreadable_body',
      message: expect.stringContaining('100 fields'),
    })
  },
)

test('any bytes with any content type are an envelope or a Fault', async () => {
  const types = fc.oneof(
    fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'application/json; charset=utf-7',
      '',
    ),
    fc.string(),
  )
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .string()
      .map((text) =>
        Buffer.from(`--x\r\nContent-Disposition: form-data; name="signature"\r\n\r\n${text}\r\n--x--\r\n`),
      ),
    fc.string().map((text) => Buffer.from(`signature=${text}&event-data={}`)),
  )
  await fc.assert(
    fc.asyncProperty(bodies, types, async (body, type) => {
      const outcome = await readEnvelope(body, type).catch((error: unknown) => error)
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Fault)
    }),
    { numRuns: 300 },
  )
})

test('the facts of any event can be stored, or it is refused with the name of the field', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.constant('\ud800'),
    fc.constant('a\0'),
  )
  const event = fc.record({
    id: fc.oneof(fc.string({ minLength: 1 }), value),
    event: fc.oneof(fc.constantFrom('failed', 'delivered', 'opened'), value),
    timestamp: fc.oneof(fc.double({ min: 1, max: 4e9 }), value),
    severity: fc.oneof(fc.constantFrom('permanent', 'temporary'), value),
    reason: value,
    message: fc.oneof(fc.record({ headers: fc.record({ 'message-id': value }) }), value),
    'user-variables': fc.oneof(fc.record({ message_id: value }), value),
  })
  fc.assert(
    fc.property(event, (data) => {
      try {
        const facts = parseProviderEvent(data)
        for (const text of [facts.providerEventId, facts.reason, facts.providerMessageId]) {
          if (text !== null)
            expect({ text, storable: text.isWellFormed() && !text.includes('\0') && text.length <= 500 }).toEqual({
              text,
              storable: true,
            })
        }
        expect(Number.isNaN(facts.occurredAt.getTime())).toBe(false)
        if (facts.event !== 'failed') expect(facts.severity).toBeNull()
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_argument', reason: expect.stringMatching(/^event-data\./) })
      }
    }),
    { numRuns: 500 },
  )
})
