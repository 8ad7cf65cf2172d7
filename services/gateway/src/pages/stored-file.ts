import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Handler } from '../engine/exchange.ts'

const compress = promisify(gzip)

/** A file in memory, plain and compressed. */
export interface StoredFile {
  etag: string
  type: string
  plain: Buffer
  gzipped: Buffer
}

/** Compresses a file and computes its entity tag. */
export async function fileOf(type: string, content: Buffer | string): Promise<StoredFile> {
  const plain = Buffer.from(content)
  return {
    etag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    type,
    plain,
    gzipped: await compress(plain, { level: 6 }),
  }
}

/** Sends a file, compressed if the client accepts that, or 304 if the client has it. */
export function sendFile(
  { req, res }: Parameters<Handler>[0],
  { etag, type, plain, gzipped }: StoredFile,
  cacheControl: string,
): void {
  const isGzip = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''))
  res.setHeader('ETag', etag)
  res.setHeader('Vary', 'Accept-Encoding')
  res.setHeader('Cache-Control', cacheControl)
  if (req.headers['if-none-match'] === etag) return void res.writeHead(304).end()
  const body = isGzip ? gzipped : plain
  res.writeHead(200, {
    'Content-Type': type,
    'Content-Length': body.length,
    ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
  })
  res.end(body)
}
