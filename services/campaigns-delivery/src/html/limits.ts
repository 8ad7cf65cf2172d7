import { Fault } from '@lettergate/fault'

const partsMax = 200_000
const cssCharsMax = 256 * 1024
const styleCharsMax = 64 * 1024
const depthMax = 256
/** Most characters of HTML that are stored: half as many again as may be handed in, since some grow when they are escaped. */
const storedCharsMax = 3 * 1024 * 1024

/** What no mail client shows and would take seconds to read is refused while it is counted. Every Fault is `invalid_argument` on html. */
export class ContentLimits {
  #parts = 0
  #cssChars = 0
  #storedChars = 0

  /** An element, an attribute, a comment or a piece of text. */
  part(): void {
    this.#parts += 1
    if (this.#parts > partsMax)
      throw refusal(`has more than ${partsMax} elements, attributes and pieces of text. Shorten it`)
  }

  /** Text or an attribute value, with its character references read. */
  value(text: string): void {
    refuseControls('html', text)
    this.#storedChars += text.length
    for (const char of text.match(/[&<>"]/g) ?? []) this.#storedChars += char === '&' || char === '"' ? 4 : 3
    checkStoredSize('html', this.#storedChars)
  }

  styleAttribute(css: string): void {
    if (css.length > styleCharsMax)
      throw refusal(`has a style attribute of more than ${styleCharsMax} characters. Shorten it`)
  }

  styleSheet(css: string): void {
    this.#cssChars += css.length
    if (this.#cssChars > cssCharsMax) throw refusal(`has more than ${cssCharsMax} characters of CSS. Shorten it`)
  }

  depth(depth: number): void {
    if (depth > depthMax) throw refusal(`is nested deeper than ${depthMax} elements. Flatten it`)
  }
}

export function checkStoredSize(field: string, chars: number): void {
  if (chars <= storedCharsMax) return
  throw new Fault(
    'invalid_argument',
    field,
    `${field} becomes longer than ${storedCharsMax} characters when it is made safe: each & < > and " is stored as several characters. Shorten it.`,
  )
}

/**
 * Refuses characters that no person reads and that programs take for commands; tabs and line ends may stand. Those from U+0080 to
 * U+009F are what quotes and dashes of Windows-1252 become when its bytes are taken for another encoding. Fault names the field.
 */
export function refuseControls(field: string, text: string): void {
  // eslint-disable-next-line no-control-regex
  const found = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.exec(text)?.[0]
  if (found === undefined) return
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  const advice =
    found < '\u0080'
      ? 'Remove it.'
      : 'The text was probably saved in another encoding, such as Windows-1252. Save it as UTF-8 and send it again.'
  throw new Fault('invalid_argument', field, `${field} contains the control character U+${code}. ${advice}`)
}

const refusal = (what: string) => new Fault('invalid_argument', 'html', `html ${what}.`)
