import type { Framing } from './head.ts'

/** Finds the end of a body without changing it. */
export interface Body {
  /** The number of bytes of this chunk that belong to the body; throws when the framing of the body is invalid. */
  take(piece: Buffer): number
  isComplete(): boolean
}

export function openBody(framing: Framing): Body {
  if (framing.kind === 'chunked') return chunkedBody()
  let left = framing.kind === 'length' ? framing.bytes : Infinity
  return {
    take(piece) {
      const taken = Math.min(left, piece.length)
      left -= taken
      return taken
    },
    isComplete: () => left === 0,
  }
}

const lineBytesMax = 4_096
const trailerBytesMax = 16_384

/** Chunked coding of RFC 9112, 7.1, strict, so that no other server can read it differently. */
function chunkedBody(): Body {
  let state: 'size' | 'data' | 'data end' | 'trailers' | 'complete' = 'size'
  let line = ''
  /** remaining bytes of the chunk */
  let left = 0
  let trailerBytes = 0

  /** Handles one complete line, without its end. */
  function onLine() {
    if (state === 'size') {
      const size = /^([0-9a-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i.exec(line)?.[1]
      if (size === undefined) throw new Error('a chunk does not begin with its size')
      left = Number.parseInt(size, 16)
      state = left === 0 ? 'trailers' : 'data'
    } else if (state === 'data end') {
      if (line !== '') throw new Error('a chunk is longer than its size')
      state = 'size'
    } else if (line === '') state = 'complete'
    else if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/.test(line))
      throw new Error('a trailer is malformed')
    line = ''
  }

  function takeLine(piece: Buffer, from: number): number {
    const end = piece.indexOf(10, from)
    const to = end === -1 ? piece.length : end + 1
    line += piece.toString('latin1', from, to)
    if (state === 'trailers') trailerBytes += to - from
    if (line.length > lineBytesMax || trailerBytes > trailerBytesMax)
      throw new Error('a line of the chunks is too long')
    if (end === -1) return to
    if (!line.endsWith('\r\n')) throw new Error('a line of the chunks ends without CR')
    line = line.slice(0, -2)
    onLine()
    return to
  }

  return {
    take(piece) {
      let at = 0
      while (at < piece.length && state !== 'complete') {
        if (state !== 'data') at = takeLine(piece, at)
        else {
          const taken = Math.min(left, piece.length - at)
          left -= taken
          at += taken
          if (left === 0) state = 'data end'
        }
      }
      return at
    },
    isComplete: () => state === 'complete',
  }
}
