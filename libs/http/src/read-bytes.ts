import type { IncomingMessage } from 'node:http'
import { HttpFault } from './http-fault.ts'

/** The 413 of an operation with this limit. */
export const tooLarge = (bytesMax: number) =>
  new HttpFault(
    413,
    'body_too_large',
    `The body is larger than ${bytesMax} bytes, which is the limit of this operation. Send less.`,
  )

/** Reads the body; a body above `bytesMax` is 413, and the rest is not kept in memory. */
export async function readBytes(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const announced = Number(req.headers['content-length'] ?? 0)
  if (announced > bytesMax) throw tooLarge(bytesMax)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size <= bytesMax) return void chunks.push(chunk)
    req.off('data', onData)
    req.resume()
    reject(tooLarge(bytesMax))
  }
  req.on('data', onData)
  req.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
  const cut = () =>
    reject(new HttpFault(400, 'body_cut', 'The body ended before it was complete. Send the request again.'))
  req.once('error', cut)
  req.once('close', () => {
    if (!req.complete) cut()
  })
  return promise
}
