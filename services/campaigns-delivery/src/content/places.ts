/**
 * The context of a value decides its escaping: `html` in text and quoted attributes, `url` as part of a URL, `link` as a
 * whole URL, `text` in the plain text part, `header` in the subject.
 */
export type EscapeContext = 'html' | 'url' | 'link' | 'text' | 'header'

const escapes: Readonly<Record<EscapeContext, (value: string) => string>> = {
  html: escapeHtml,
  url: (value) => escapeHtml(encodeURIComponent(value.toWellFormed())),
  link: escapeHtml,
  text: (value) => withoutMarkers(withoutControls(value)),
  header: (value) => withoutMarkers(headerLine(withoutDirections(value))),
}

/** Escapes a value for its context. It cannot change the structure around it, and the provider cannot read it as a marker. */
export function escapeFor(place: EscapeContext, value: string): string {
  return escapes[place](value)
}

/** Removes characters that change the text direction, because nothing in plain text limits their effect. */
const withoutDirections = (value: string): string => value.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')

/** Text for a header: one line without control characters. */
export function headerLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '%': '&#37;',
  '{': '&#123;',
}

/** Also escapes `%`, so that no value can form one of the provider's `%markers%`, alone or with its neighbours. */
function escapeHtml(value: string): string {
  return withoutControls(value).replace(/[&<>"'%{]/g, (char) => entities[char] ?? char)
}

function withoutControls(value: string): string {
  // eslint-disable-next-line no-control-regex
  return value.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
}

// The markers begin with characters that are not hexadecimal digits, so percent-encoded URLs stay unchanged.
const markerStart = /%(?=[rutm]|$)/gi
const authoredMarker = /%(?=recipient|(?:tag_|mailing_list_)?unsubscribe_)/gi

/**
 * Inserts an invisible word joiner after a `%` that could start a marker. For the text part and headers, where entities do
 * not exist.
 */
function withoutMarkers(text: string): string {
  return text.replace(markerStart, '%\u2060')
}

/** Escapes a literal text that contains one of the provider's `%markers%`, or a `%` before a value. It stays readable. */
export function literalFor(place: 'html' | 'text', text: string, valueFollows: boolean): string {
  const replacement = place === 'html' ? '&#37;' : '%\u2060'
  const plain = text.replace(authoredMarker, replacement)
  return valueFollows && plain.endsWith('%') ? plain.slice(0, -1) + replacement : plain
}
