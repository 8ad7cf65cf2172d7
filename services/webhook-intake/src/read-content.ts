import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { HttpFault } from '@lettergate/http'
import { readBytes, tooLarge } from '@lettergate/http/read-bytes'

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * Reads the whole body and decompresses it. A body above `bytesMax`, before or after that, is 413, one with an unknown encoding
 * 415, and one that cannot be decompressed 400.
 */
export async function readContent(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const encoding = req.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return readBytes(req, bytesMax)
  const decode = decoders.get(encoding)
  if (!decode)
    throw new HttpFault(
      415,
      'unsupported_media_type',
      'This content encoding is not taken. Send the body with gzip, deflate or br, or not compressed.',
    )
  const bytes = await readBytes(req, bytesMax)
  try {
    return await decode(bytes, { maxOutputLength: bytesMax })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(bytesMax)
    throw new HttpFault(
      400,
      'unreadable_request',
      'The body cannot be decompressed. Compress it as its Content-Encoding header says, and send it again.',
      { cause: error },
    )
  }
}
