import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { PayloadOwner } from './import-chunk.entity.ts'

/**
 * Plain bytes of every chunk but the last one, which has the rest. The driver receives a chunk as hexadecimal text. A text of more
 * than 128 KiB is kept until the old memory is collected, and smaller ones are freed at once.
 */
export const chunkBytes = 32 * 1024

const algorithm = 'aes-256-gcm'
const tagBytes = 16

/** A chunk cannot be decrypted: it was changed, moved, cut off, or belongs to another import. */
export class ChunkUnreadable extends Error {
  constructor(position: number, options?: { cause?: unknown }) {
    super(`chunk ${position} of a payload cannot be decrypted`, options)
    this.name = 'ChunkUnreadable'
  }
}

/** The place of a chunk in its file. */
export interface ChunkPlace {
  position: number
  isLast: boolean
}

/** Encrypts and decrypts the chunks of one import with its own data key. Encrypt each position once: it is the nonce. */
export interface ChunkCipher {
  encrypt(place: ChunkPlace, plain: Uint8Array): Buffer
  /** Throws ChunkUnreadable unless exactly this chunk was encrypted for exactly this place. */
  decrypt(place: ChunkPlace, ciphertext: Uint8Array): Buffer
}

/** A new random key. It encrypts the chunks of one import only. */
export const newDataKey = (): Buffer => randomBytes(32)

/** The last chunk is authenticated as the last one, so a file without its end cannot be read, and neither can a longer one. */
export function chunkCipher(key: Buffer, owner: PayloadOwner): ChunkCipher {
  const nonceOf = (position: number) => {
    const nonce = Buffer.alloc(12)
    nonce.writeUInt32BE(position, 8)
    return nonce
  }
  const boundTo = ({ position, isLast }: ChunkPlace) =>
    Buffer.from(`import_chunk ${owner.workspace_id} ${owner.id} ${position} ${isLast ? 'last' : 'more'}`)
  return {
    encrypt(place, plain) {
      const cipher = createCipheriv(algorithm, key, nonceOf(place.position)).setAAD(boundTo(place))
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    decrypt(place, ciphertext) {
      if (ciphertext.length < tagBytes) throw new ChunkUnreadable(place.position)
      const end = ciphertext.length - tagBytes
      try {
        const decipher = createDecipheriv(algorithm, key, nonceOf(place.position), { authTagLength: tagBytes })
          .setAAD(boundTo(place))
          .setAuthTag(ciphertext.subarray(end))
        return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()])
      } catch (error) {
        throw new ChunkUnreadable(place.position, { cause: error })
      }
    },
  }
}
