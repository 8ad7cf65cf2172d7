import { Busboy } from '@fastify/busboy'
import type { IncomingMessage } from 'node:http'
import { parse } from 'node:querystring'

/** The provider's limit for one message, with all its variables. */
export const bodyBytesMax = 26_214_400

export class BodyTooLarge extends Error {}
export class BodyUnreadable extends Error {}

/** The fields of a form in the order sent; a repeated field has several values. */
export type Form = ReadonlyMap<string, readonly string[]>

/** Reads an urlencoded or multipart form. Attached files are read and dropped; only their names stay, as field `attachment`. */
export async function readForm(req: IncomingMessage): Promise<Form> {
  const type = req.headers['content-type'] ?? ''
  if (/^multipart\/form-data/i.test(type)) return readMultipart(req)
  const body = await readBody(req)
  const fields = parse(body.toString(), '&', '=', { maxKeys: 0 })
  return new Map(Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? value : [value ?? '']]))
}

/** The whole body, or BodyTooLarge. */
export async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new BodyTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function readMultipart(req: IncomingMessage): Promise<Form> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string[]>()
    const add = (name: string, value: string) => {
      const known = fields.get(name)
      if (known) known.push(value)
      else fields.set(name, [value])
    }
    const unreadable = (cause: unknown) => reject(new BodyUnreadable('the form cannot be read', { cause }))
    try {
      const headers = { ...req.headers, 'content-type': req.headers['content-type'] ?? '' }
      const reader = new Busboy({ headers, limits: { fieldSize: bodyBytesMax, fields: 10_000 } })
      reader.on('field', (name, value, _nameTruncated, valueTruncated) => {
        if (valueTruncated) reject(new BodyTooLarge())
        add(name, value)
      })
      reader.on('file', (name, stream, filename) => {
        stream.resume()
        add(name, filename)
      })
      reader.on('finish', () => resolve(fields))
      reader.on('error', unreadable)
      req.on('error', unreadable)
      req.pipe(reader)
    } catch (error) {
      unreadable(error)
    }
  })
}
