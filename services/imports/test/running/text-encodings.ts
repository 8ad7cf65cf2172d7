/** How the text of a file becomes bytes. */
export interface Encoding {
  /** the form field of the upload */
  readonly declared: string | undefined
  readonly canWrite: (text: string) => boolean
  /** Characters that the encoding does not have become question marks. */
  readonly write: (text: string) => Buffer
}

const always = () => true
const utf16le = (text: string) => Buffer.from(text, 'utf16le')
const utf16be = (text: string) => utf16le(text).swap16()

/** An encoding of one or two bytes a character, made from its decoder, because Node.js encodes no such text. */
function legacy(label: string): Encoding {
  const decoder = new TextDecoder(label, { fatal: true })
  const bytesOf = new Map<string, Buffer>()
  const add = (...bytes: number[]) => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes))
      if (text.length === 1 && !bytesOf.has(text)) bytesOf.set(text, Buffer.from(bytes))
      return true
    } catch {
      return false
    }
  }
  for (let first = 0; first < 256; first += 1) {
    if (add(first)) continue
    for (let second = 0x40; second < 256; second += 1) add(first, second)
  }
  const question = Buffer.from('?')
  return {
    declared: label,
    canWrite: (text) => Array.from(text).every((character) => bytesOf.has(character)),
    write: (text) => Buffer.concat(Array.from(text, (character) => bytesOf.get(character) ?? question)),
  }
}

/** UTF-8 and UTF-16 with and without a byte order mark, and encodings of Europe and Asia that a caller must name. */
export const encodings = {
  'utf-8': { declared: undefined, canWrite: always, write: (text) => Buffer.from(text) },
  'utf-8 with mark': { declared: undefined, canWrite: always, write: (text) => Buffer.from(`\ufeff${text}`) },
  'utf-16le with mark': { declared: undefined, canWrite: always, write: (text) => utf16le(`\ufeff${text}`) },
  'utf-16be with mark': { declared: undefined, canWrite: always, write: (text) => utf16be(`\ufeff${text}`) },
  'utf-16le': { declared: 'utf-16le', canWrite: always, write: utf16le },
  'utf-16be': { declared: 'utf-16be', canWrite: always, write: utf16be },
  'windows-1252': legacy('windows-1252'),
  'iso-8859-2': legacy('iso-8859-2'),
  'koi8-r': legacy('koi8-r'),
  shift_jis: legacy('shift_jis'),
  gbk: legacy('gbk'),
} as const satisfies Record<string, Encoding>
