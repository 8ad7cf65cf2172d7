import { TextDecoder } from 'node:util'
import { Fault } from '@lettergate/fault'
import { unreadable } from './file-format.ts'

const byteOrderMarks: readonly [encoding: string, bytes: readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/**
 * The encoding of a file: its byte order mark, else the declared WHATWG label, else UTF-8. Throws Fault `invalid_argument`
 * for an unknown label, and for UTF-32.
 */
export function encodingOf(head: Uint8Array, declared: string | undefined): string {
  const starts = (bytes: readonly number[]) => bytes.every((byte, n) => head[n] === byte)
  if (starts([0xff, 0xfe, 0, 0]) || starts([0, 0, 0xfe, 0xff])) {
    throw unreadable('file_encoding', 'file is in UTF-32. Save it as UTF-8.')
  }
  const marked = byteOrderMarks.find(([, bytes]) => starts(bytes))
  const label = declared === undefined || declared.trim() === '' ? 'utf-8' : labelled(declared)
  return marked ? marked[0] : label
}

function labelled(label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch (cause) {
    throw new Fault(
      'invalid_argument',
      'encoding',
      'encoding must be a WHATWG label that this service reads, such as utf-8, utf-16le or windows-1252.',
      { cause },
    )
  }
}

/** Decodes a file that arrives in pieces, without its byte order mark. */
export interface Decoder {
  /** Throws Fault `invalid_argument` at bytes that the encoding does not have, and at NUL. */
  next(bytes: Uint8Array): string
  /** The rest of the text. Throws the same Fault if the last character is incomplete. */
  end(): string
}

/** Opens a decoder for an encoding that `encodingOf` has answered. */
export function openDecoder(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let bytesBefore = 0
  const decode = (bytes: Uint8Array, stream: boolean): string => {
    let text
    try {
      text = decoder.decode(bytes, { stream })
    } catch (cause) {
      throw unreadable(
        'file_encoding',
        `file is not valid ${encoding}, after about ${bytesBefore} bytes. Save it as UTF-8, or name its encoding in the field encoding, for example windows-1252.`,
        { cause },
      )
    }
    if (text.includes('\u0000')) {
      throw unreadable(
        'file_type',
        `file has NUL characters, after about ${bytesBefore} bytes: it is binary, or UTF-16 without a byte order mark. Save it as CSV UTF-8.`,
      )
    }
    bytesBefore += bytes.length
    return text
  }
  return { next: (bytes) => decode(bytes, true), end: () => decode(new Uint8Array(), false) }
}

/** The text of a file, in pieces. Throws the Faults of the decoder. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<string> {
  const decoder = openDecoder(encoding)
  for await (const chunk of bytes) yield decoder.next(chunk)
  yield decoder.end()
}
