/**
 * Where a value stands decides how it is escaped: `html` in text and quoted attributes, `url` as part of a URL in an attribute,
 * `link` as the whole URL of an attribute, `text` in the plain text part, `header` in the subject.
 */
export type EscapeContext = 'html' | 'url' | 'link' | 'text' | 'header'

const escapes: Readonly<Record<EscapeContext, (value: string) => string>> = {
  html: escapeHtml,
  url: (value) => escapeHtml(encodeURIComponent(value.toWellFormed())),
  link: escapeHtml,
  text: (value) => withoutMarkers(withoutControls(value)),
  header: (value) => withoutMarkers(headerLine(withoutDirections(value))),
}

/** A value made harmless for its place: it can change neither the structure around it nor be read as a marker by the provider. */
export function escapeFor(place: EscapeContext, value: string): string {
  return escapes[place](value)
}

/** Without marks that would turn the rest of a line around: nothing ends their reach there, as an element does in HTML. */
const withoutDirections = (value: string): string => value.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')

/** Text that stands in a header: one line, without control characters. */
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

/** `%` is an entity too, so that no value can form one of the provider's `%markers%`, alone or with its neighbours. */
function escapeHtml(value: string): string {
  return withoutControls(value).replace(/[&<>"'%{]/g, (char) => entities[char] ?? char)
}

function withoutControls(value: string): string {
  // eslint-disable-next-line no-control-regex
  return value.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
}

// None of the markers' first letters is a hexadecimal digit, so percent-encoded URLs stay whole.
const markerStart = /%(?=[rutm]|$)/gi
const authoredMarker = /%(?=recipient|(?:tag_|mailing_list_)?unsubscribe_)/gi

/** A value of the text part or a header, where no entity exists: an invisible word joiner parts what a `%marker%` could begin with. */
function withoutMarkers(text: string): string {
  return text.replace(markerStart, '%\u2060')
}

/** Literal text whose author wrote one of the provider's `%markers%`, or a `%` that a value would follow: readable as before, and meaning nothing to the provider. */
export function literalFor(place: 'html' | 'text', text: string, valueFollows: boolean): string {
  const replacement = place === 'html' ? '&#37;' : '%\u2060'
  const plain = text.replace(authoredMarker, replacement)
  return valueFollows && plain.endsWith('%') ? plain.slice(0, -1) + replacement : plain
}
