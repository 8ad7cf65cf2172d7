import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { inChunks, type PlainChunk } from './in-chunks.ts'

async function chunksOf(pieces: readonly Uint8Array[], size: number): Promise<PlainChunk[]> {
  async function* bytes() {
    yield* pieces
  }
  return Array.fromAsync(inChunks(bytes(), size))
}

test('however a file arrives, its chunks are its bytes in order, all of the same size but the last one', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 50 }), async (given, size) => {
      const whole = Buffer.concat(given)
      const chunks = await chunksOf(given, size)
      expect(Buffer.concat(chunks.map(({ plain }) => plain))).toEqual(whole)
      expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_, n) => n))
      expect(chunks.map(({ isLast }) => isLast)).toEqual(chunks.map((_, n) => n === chunks.length - 1))
      expect(chunks.slice(0, -1).every(({ plain }) => plain.length === size)).toBe(true)
      expect(chunks).toHaveLength(Math.ceil(whole.length / size))
    }),
  )
})

test('a chunk is there as soon as the next byte is, so that no more than a chunk waits', async () => {
  let given = 0
  async function* endless() {
    for (;;) {
      given += 1
      yield Buffer.alloc(1)
    }
  }
  for await (const { position } of inChunks(endless(), 10)) {
    expect(given).toBe((position + 1) * 10 + 1)
    if (position === 3) break
  }
})
