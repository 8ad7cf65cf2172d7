import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import type { ValidateFunction } from 'ajv'
import { Fault, ignoring } from '@lettergate/fault'
import { HttpFault } from '@lettergate/http'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { tooLarge } from '@lettergate/http/read-bytes'
import { refuseInvalid } from './validate.ts'

/** A form with one file, as a document describes it. */
export interface FormPlan {
  /** the name of the field with the file */
  file: string
  /** the media type that the part of the file must have */
  fileType: string
  /** the names of the other fields */
  fields: ReadonlySet<string>
  /** checks the fields; the file counts as an empty text */
  validate: ValidateFunction
}

export interface FormLimits {
  /** of the file */
  fileBytesMax: number
  /** for the whole form */
  timeoutMs: number
  /** the lowest rate, on average over every `paceMs` in which bytes are wanted */
  bytesPerSecondMin: number
  paceMs: number
}

/** The checked fields of a complete form. */
export interface FormFields {
  fields: Record<string, string>
  filename: string
}

/** What stands around the file: the other fields, the headers of the parts and the boundaries. */
const aroundBytesMax = 64 * 1024
const fieldBytesMax = 8 * 1024

const invalid = (field: string, problem: string) => new Fault('invalid_argument', field, `${field} ${problem}`)
const tooSlow = () =>
  new HttpFault(
    408,
    'upload_too_slow',
    'The upload took too long, or was too slow. Check your connection and send it again.',
  )
const tooMuchAround = () =>
  new HttpFault(
    413,
    'body_too_large',
    `The form has more than ${aroundBytesMax} bytes besides its file. Send only the fields of this form.`,
  )
const cutOff = () => new HttpFault(400, 'body_cut', 'The body ended before it was complete. Send the request again.')

/**
 * Reads a form while it arrives: yields the bytes of its file, as fast as they are taken, and returns its fields after the last
 * byte of the body. At most a few hundred kilobytes are in memory, and what stands around the file is limited too. Throws for anything but a complete form with the declared
 * fields, each once, in any order: 400, 408, 413, 415 or a 422 that names the field. Other fields are ignored.
 */
export async function* readForm(
  req: IncomingMessage,
  { file: fileField, fileType, fields, validate }: FormPlan,
  { fileBytesMax, ...paceLimits }: FormLimits,
): AsyncGenerator<Buffer, FormFields, undefined> {
  if (Number(req.headers['content-length'] ?? 0) > fileBytesMax + aroundBytesMax) throw tooLarge(fileBytesMax)
  const parser = parserOf(req, fileField, fileBytesMax)
  const values: Record<string, string> = {}
  let filename: string | undefined
  let file: FileStream | undefined
  let failure: Fault | undefined
  const begun = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  for (const { promise } of [begun, finished])
    promise.catch((error: unknown) => ignoring(error, 'it is thrown where it is awaited'))

  function fail(error: Fault) {
    failure ??= error
    req.unpipe(parser)
    begun.reject(failure)
    finished.reject(failure)
    file?.destroy(failure)
  }
  const once = (name: string) => {
    const isRepeated = Object.hasOwn(values, name)
    if (isRepeated) fail(invalid(name, 'is given twice. Send it once.'))
    return !isRepeated
  }

  parser.on('field', (name: string | undefined, value: string, _nameCut: boolean, isCut: boolean) => {
    const known = name ?? ''
    const isKnown = fields.has(known)
    if (isCut) fail(invalid(isKnown ? known : shown(known), `must be at most ${fieldBytesMax} bytes long.`))
    else if (isKnown && once(known)) values[known] = value
  })
  parser.on('file', (name: string, stream: FileStream, given: string | undefined, _encoding: string, type: string) => {
    stream.on('error', (error) => ignoring(error, 'the reader of the file throws it'))
    if (!once(name)) return void stream.resume()
    values[name] = ''
    if (given === undefined || given === '') {
      stream.resume()
      return fail(invalid(name, 'must be sent as a file with a filename.'))
    }
    if (type !== fileType) {
      stream.resume()
      return fail(
        invalid(name, `must have the type ${fileType}, as in curl -F '${name}=@contacts.csv;type=${fileType}'.`),
      )
    }
    filename = given
    file = stream
    stream.once('limit', () => fail(tooLarge(fileBytesMax)))
    begun.resolve()
  })
  parser.on('partsLimit', () => fail(invalid('body', 'has too many parts. Send only the fields of this form.')))
  parser.on('error', (error: unknown) => fail(malformed(error)))
  parser.once('finish', () => {
    begun.resolve()
    finished.resolve()
  })

  const onClose = () => {
    if (!req.complete) fail(cutOff())
  }
  req.once('error', onClose)
  req.once('close', onClose)
  const isWanted = () => !parser.writableNeedDrain && !req.complete
  const stopWatching = watchPace(req, { ...paceLimits, isWanted }, () => fail(tooSlow()))
  const wireBytes = wireBytesOf(req)
  let bodyBytes = 0
  const onBytes = (bytes: Buffer) => {
    bodyBytes += bytes.length
    const around = bodyBytes - (file?.bytesRead ?? 0) - parser.writableLength
    // Chunks of one byte with long extensions would be much more on the wire than in the body.
    if (around > aroundBytesMax || wireBytes() > 2 * (fileBytesMax + aroundBytesMax)) fail(tooMuchAround())
  }
  try {
    req.pipe(parser)
    // After the pipe, so that the parser has seen the bytes that are counted.
    req.on('data', onBytes)
    await begun.promise
    if (file) for await (const bytes of file) yield bytes as Buffer
    await finished.promise
    refuseInvalid(validate, values)
    delete values[fileField]
    return { fields: values, filename: filename! }
  } catch (error) {
    throw failure ?? (error instanceof Fault ? error : malformed(error))
  } finally {
    stopWatching()
    req.off('data', onBytes)
    req.off('error', onClose)
    req.off('close', onClose)
    req.unpipe(parser)
    parser.removeAllListeners()
    parser.on('error', (error: unknown) => ignoring(error, 'the form is already answered'))
    parser.destroy()
  }
}

function parserOf(req: IncomingMessage, fileField: string, fileBytesMax: number): BusboyInstance {
  const [type = ''] = (req.headers['content-type'] ?? '').split(';')
  const encoding = (req.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (type.trim().toLowerCase() !== 'multipart/form-data' || encoding !== 'identity') {
    throw new HttpFault(
      415,
      'content_type',
      'This operation takes a form as multipart/form-data, not compressed. Set the Content-Type header to it, with the boundary.',
    )
  }
  try {
    return new Busboy({
      headers: req.headers as BusboyHeaders,
      isPartAFile: (name) => name === fileField,
      limits: { fileSize: fileBytesMax, fieldSize: fieldBytesMax, parts: 50, headerPairs: 20, headerSize: 8 * 1024 },
    })
  } catch (error) {
    throw malformed(error)
  }
}

/** The stream of a file, which counts its bytes. */
type FileStream = Readable & { readonly bytesRead: number }

const malformed = (cause: unknown) =>
  new HttpFault(
    400,
    'malformed_form',
    'The body is not a well-formed multipart form. Send all parts between the boundaries that the Content-Type header names.',
    { cause },
  )

/** A name from the form, short enough for a page. */
const shown = (name: string) => JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)

/** Counts the bytes that arrive on the connection of a request. */
function wireBytesOf({ socket }: IncomingMessage): () => number {
  const before = socket.bytesRead
  return () => socket.bytesRead - before
}

/**
 * Calls `onSlow` when the time is over, or when fewer bytes came than the lowest rate allows although they were wanted. Counts
 * ticks, so that a blocked process is not taken for a slow client.
 */
function watchPace(
  req: IncomingMessage,
  { timeoutMs, paceMs, bytesPerSecondMin, isWanted }: Omit<FormLimits, 'fileBytesMax'> & { isWanted: () => boolean },
  onSlow: () => void,
): () => void {
  const ticksMax = 5
  const bytesMin = (bytesPerSecondMin * paceMs) / 1_000
  let ofTicks: number[] = []
  let bytes = 0
  const onData = (piece: Buffer) => {
    bytes += piece.length
  }
  req.on('data', onData)
  const ticking = setInterval(() => {
    ofTicks = isWanted() ? [...ofTicks, bytes].slice(-ticksMax) : []
    bytes = 0
    if (ofTicks.length === ticksMax && ofTicks.reduce((sum, each) => sum + each) < bytesMin) onSlow()
  }, paceMs / ticksMax)
  const whole = setTimeout(onSlow, timeoutMs)
  return () => {
    clearInterval(ticking)
    clearTimeout(whole)
    req.off('data', onData)
  }
}
