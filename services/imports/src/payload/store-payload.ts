import { createHash } from 'node:crypto'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { chunkBytes, chunkCipher, newDataKey } from './chunk-cipher.ts'
import { deleteChunksWithoutImport, insertChunks, type PayloadOwner, type SealedChunk } from './import-chunk.entity.ts'
import { inChunks } from './in-chunks.ts'
import { sealPayloadKey } from './payload-key.ts'
import { readChunks } from './read-payload.ts'

/** Chunks of one transaction. */
const chunksAtOnce = 8

/** A file whose chunks are stored. Its key is only here until the row of the import is written. */
export interface StoredPayload {
  chunkCount: number
  payloadSize: number
  fileSha256: string
  sealedKey: string
  /** Reads it again. */
  read(): AsyncIterable<Buffer>
}

/**
 * Encrypts a file while it arrives and stores a few chunks at a time in short transactions. `onPlain` sees every chunk first. Throws Fault `invalid_argument` for a file without bytes and for one above IMPORT_MAX_BYTES. After any
 * error, call `discardPayload`.
 */
export async function storePayload(
  ctx: Ctx,
  owner: PayloadOwner,
  { bytes, onPlain }: { bytes: AsyncIterable<Uint8Array>; onPlain: (plain: Buffer) => void },
): Promise<StoredPayload> {
  const { importKeys, importMaxBytes } = ctx.config
  const key = newDataKey()
  const cipher = chunkCipher(key, owner)
  const hash = createHash('sha256')
  let payloadSize = 0
  let chunkCount = 0
  let sealed: SealedChunk[] = []
  const storeSealed = async () => {
    const chunks = sealed
    sealed = []
    if (chunks.length > 0) await ctx.tx((em) => insertChunks(em, owner, chunks))
  }
  for await (const { plain, ...place } of inChunks(bytes, chunkBytes)) {
    payloadSize += plain.length
    if (payloadSize > importMaxBytes) throw tooLarge(importMaxBytes)
    onPlain(plain)
    hash.update(plain)
    sealed.push({ position: place.position, ciphertext: cipher.encrypt(place, plain) })
    if (sealed.length === chunksAtOnce) await storeSealed()
    chunkCount += 1
  }
  await storeSealed()
  if (chunkCount === 0) throw new Fault('invalid_argument', 'file', 'file is empty.')
  return {
    chunkCount,
    payloadSize,
    fileSha256: hash.digest('hex'),
    sealedKey: sealPayloadKey(importKeys, owner, key),
    read: () => readChunks(ctx, { ...owner, chunkCount, cipher }),
  }
}

const tooLarge = (bytesMax: number) =>
  new Fault(
    'invalid_argument',
    'file',
    `file is larger than ${bytesMax} bytes, which is the limit. Split it into several files with the same header row.`,
  )

/**
 * Deletes the chunks of an upload that was refused or broken, unless its import was written after all. Does not throw: without the
 * key nothing decrypts the chunks, and `purge-import-chunks` deletes them later.
 */
export async function discardPayload(ctx: Ctx, owner: PayloadOwner): Promise<void> {
  try {
    await ctx.tx((em) => deleteChunksWithoutImport(em, owner))
  } catch (error) {
    ctx.log.warn({ err: error, import_id: owner.id }, 'the chunks of a broken upload are left for the purge')
  }
}
