import { Fault } from '@lettergate/fault'
import { encodingOf, openDecoder, type Decoder } from './decode.ts'
import { headBytes } from './inspect-head.ts'

/** Checks a file while it arrives, before its declared encoding is known: with the encoding that its first bytes show. */
export interface TextCheck {
  /** The next bytes, of any length but the first ones: at least four, or the whole file. Throws nothing about the text. */
  next(bytes: Uint8Array): void
  /** The first `headBytes` bytes. */
  head(): Uint8Array
  /**
   * After the last byte. Throws the Fault of the first place that is no text in this encoding. False if the file was not checked
   * with this encoding and must be read again.
   */
  isChecked(encoding: string): boolean
}

export function openTextCheck(): TextCheck {
  let head: Uint8Array = new Uint8Array()
  let shown = ''
  let decoder: Decoder | undefined
  let refusal: Fault | undefined
  const decode = (step: () => string) => {
    if (refusal) return
    try {
      step()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      refusal = error
    }
  }
  return {
    next(bytes) {
      const isFirst = head.length === 0
      if (head.length < headBytes) head = Buffer.concat([head, bytes.subarray(0, headBytes - head.length)])
      if (isFirst) {
        decode(() => {
          shown = encodingOf(head, undefined)
          decoder = openDecoder(shown)
          return shown
        })
      }
      if (decoder) decode(() => decoder!.next(bytes))
    },
    head: () => head,
    isChecked(encoding) {
      if (encoding !== shown || !decoder) return false
      decode(() => decoder!.end())
      if (refusal) throw refusal
      return true
    },
  }
}

/** Reads a whole file. Throws the Fault of the first place that is no text in this encoding. */
export async function requireText(bytes: AsyncIterable<Uint8Array>, encoding: string): Promise<void> {
  const decoder = openDecoder(encoding)
  for await (const chunk of bytes) decoder.next(chunk)
  decoder.end()
}
