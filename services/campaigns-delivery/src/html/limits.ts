import { Fault } from '@lettergate/fault'

const partsMax = 200_000
const cssCharsMax = 256 * 1024
const styleCharsMax = 64 * 1024
const depthMax = 256
/** Maximum characters of stored HTML: one and a half times the maximum of the request, because escaping adds characters. */
const storedCharsMax = 3 * 1024 * 1024

/**
 * Refuses documents that would take seconds to parse and that no mail client shows. Every Fault is `invalid_argument` on
 * html.
 */
export class ContentLimits {
  #parts = 0
  #cssChars = 0
  #storedChars = 0

  /** Counts an element, an attribute, a comment or a text. */
  part(): void {
    this.#parts += 1
    if (this.#parts > partsMax)
      throw refusal(`has more than ${partsMax} elements, attributes and pieces of text. Shorten it`)
  }

  /** Checks a text or an attribute value after its character references were decoded. */
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
 * Refuses control characters except tabs and line ends. U+0080 to U+009F appear when Windows-1252 quotes and dashes are
 * decoded with another encoding. The Fault names the field.
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
