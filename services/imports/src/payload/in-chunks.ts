/** One part of a file, of `chunkBytes` bytes or, the last one, of the rest. */
export interface PlainChunk {
  position: number
  isLast: boolean
  plain: Buffer
}

/**
 * Cuts the bytes of a file into chunks of equal size, with at most one chunk in memory. A chunk is yielded when the next byte has
 * come, or the end of the file, because only then it is known whether it is the last one. A file without bytes has no chunks.
 */
export async function* inChunks(bytes: AsyncIterable<Uint8Array>, chunkBytes: number): AsyncGenerator<PlainChunk> {
  let position = 0
  let chunk = Buffer.allocUnsafe(chunkBytes)
  let filled = 0
  for await (const piece of bytes) {
    for (let from = 0; from < piece.length;) {
      if (filled === chunkBytes) {
        yield { position, isLast: false, plain: chunk }
        position += 1
        chunk = Buffer.allocUnsafe(chunkBytes)
        filled = 0
      }
      const taken = Math.min(chunkBytes - filled, piece.length - from)
      chunk.set(piece.subarray(from, from + taken), filled)
      filled += taken
      from += taken
    }
  }
  if (filled > 0) yield { position, isLast: true, plain: chunk.subarray(0, filled) }
}
