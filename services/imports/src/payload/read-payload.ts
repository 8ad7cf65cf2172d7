import { ignoring } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { ChunkUnreadable, chunkCipher, type ChunkCipher } from './chunk-cipher.ts'
import { selectChunks, type PayloadOwner } from './import-chunk.entity.ts'
import { openPayloadKey, payloadUnreadable } from './payload-key.ts'

/** What the row of an import says about its payload. */
export interface SealedPayload extends PayloadOwner {
  sealed_key: string | null
  chunk_count: number
}

const chunksAtOnce = 8

/**
 * Reads the uploaded file, decrypted, a few chunks at a time. Throws Fault `payload_unreadable` if the payload was
 * destroyed, or anything of it was changed, moved, left out or added; what was yielded before is unchanged.
 */
export async function* readPayload(ctx: Ctx, job: SealedPayload): AsyncGenerator<Buffer, void, undefined> {
  const cipher = chunkCipher(openPayloadKey(ctx.config.importKeys, job, job.sealed_key), job)
  yield* readChunks(ctx, { workspace_id: job.workspace_id, id: job.id, chunkCount: job.chunk_count, cipher })
}

/** The same with the key of the file. The next chunks are read while the caller works on these. */
export async function* readChunks(
  ctx: Ctx,
  { chunkCount, cipher, ...owner }: PayloadOwner & { chunkCount: number; cipher: ChunkCipher },
): AsyncGenerator<Buffer, void, undefined> {
  const readFrom = (from: number) =>
    from < chunkCount ? ctx.tx((em) => selectChunks(em, owner, { from, most: chunksAtOnce })) : Promise.resolve([])
  let position = 0
  let next = readFrom(0)
  try {
    while (position < chunkCount) {
      const found = await next
      if (found.length === 0) throw payloadUnreadable()
      next = readFrom(position + found.length)
      next.catch((error: unknown) => ignoring(error, 'it is thrown when these chunks are needed'))
      for (const { ciphertext } of found) {
        // The place in the file decides the nonce, so a chunk that is not next in line cannot be decrypted.
        yield decrypted(() => cipher.decrypt({ position, isLast: position === chunkCount - 1 }, ciphertext))
        position += 1
      }
    }
  } finally {
    await Promise.allSettled([next])
  }
}

function decrypted(decrypt: () => Buffer): Buffer {
  try {
    return decrypt()
  } catch (error) {
    if (error instanceof ChunkUnreadable) throw payloadUnreadable(error)
    throw error
  }
}
