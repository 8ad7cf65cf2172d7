function words(text: string): string[] {
  return text.split(' ')
}

/** Elements that are allowed in an email. `meta` has more conditions; `style` is handled separately. */
export const allowedTags: ReadonlySet<string> = new Set(
  [
    'html head title meta body table thead tbody tfoot tr td th caption colgroup col',
    'div span p center blockquote pre address article aside footer header main nav section figure figcaption',
    'h1 h2 h3 h4 h5 h6 ul ol li dl dt dd hr br wbr a img map area picture',
    'b strong i em u s strike del ins small big sub sup font tt code kbd samp var cite q abbr acronym dfn mark time bdi bdo',
  ].flatMap(words),
)

/** Elements that are removed with their content, because it is not text for the reader. */
export const discardedWithInside: readonly string[] = [
  'script style iframe object embed applet svg math template noscript noembed noframes plaintext xmp xml',
  'textarea select option canvas frameset dialog',
].flatMap(words)

const attributes = {
  '*': words(
    'align valign bgcolor background border cellpadding cellspacing class color colspan dir face frame headers height hidden hspace id lang noshade nowrap role rowspan rules scope size span start style summary title type value vspace width',
  ),
  a: words('href name rel target'),
  body: words('leftmargin marginheight marginwidth topmargin'),
  html: words('xmlns:o xmlns:v xmlns:w'),
  area: words('alt coords href shape target'),
  img: words('alt src usemap'),
  map: words('name'),
  meta: words('charset content http-equiv name'),
  th: words('abbr'),
  td: words('abbr'),
  time: words('datetime'),
} as const

/** The allowed attributes by tag in the form that sanitize-html expects; `*` is for all tags. */
export const allowedAttributes: Record<string, string[]> = {
  ...Object.fromEntries(Object.entries(attributes).map(([tag, names]) => [tag, [...names]])),
  '*': [...attributes['*'], 'aria-*'],
}

const attributeSets = new Map<string, ReadonlySet<string>>(
  Object.entries(attributes).map(([tag, names]) => [tag, new Set<string>(names)]),
)

/** Whether this attribute is allowed on this element (both lowercase). */
export function isAllowedAttribute(tag: string, name: string): boolean {
  return (
    attributeSets.get('*')?.has(name) === true ||
    attributeSets.get(tag)?.has(name) === true ||
    /^aria-[a-z]+$/.test(name)
  )
}

const namespaces: ReadonlyMap<string, string> = new Map([
  ['xmlns:o', 'urn:schemas-microsoft-com:office:office'],
  ['xmlns:v', 'urn:schemas-microsoft-com:vml'],
  ['xmlns:w', 'urn:schemas-microsoft-com:office:word'],
])

/** Whether a declared namespace prefix has its usual Outlook namespace. */
export const isAllowedNamespace = (name: string, value: string): boolean =>
  !name.startsWith('xmlns') || namespaces.get(name) === value

const metaNames = new Set(
  words(
    'viewport color-scheme supported-color-schemes format-detection x-apple-disable-message-reformatting description',
  ),
)

const equivalents: ReadonlyMap<string, RegExp> = new Map([
  ['content-type', /^\s*text\/html\s*(?:;\s*charset\s*=\s*utf-?8\s*)?;?\s*$/i],
  ['x-ua-compatible', /^/],
])

/**
 * A meta element is kept when it describes the document. Refreshes, redirects, policies and encodings other than UTF-8 are
 * removed: in another encoding harmless bytes may become markup.
 */
export function isAllowedMeta(attribs: Readonly<Record<string, string>>): boolean {
  if (attribs['charset'] !== undefined && !/^\s*utf-?8\s*$/i.test(attribs['charset'])) return false
  const equivalent = attribs['http-equiv']?.trim().toLowerCase()
  if (equivalent !== undefined) return equivalents.get(equivalent)?.test(attribs['content'] ?? '') === true
  return attribs['charset'] !== undefined || metaNames.has(attribs['name']?.trim().toLowerCase() ?? '')
}

const doctypes = [
  [
    '//DTD XHTML 1.0 TRANSITIONAL//',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
  ],
  [
    '//DTD XHTML 1.0 STRICT//',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
  ],
  [
    '//DTD HTML 4.01 TRANSITIONAL//',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">',
  ],
] as const

/** Returns a known document type, because it decides how clients lay out tables, otherwise plain HTML. */
export function canonicalDoctype(declared: string): string {
  const known = doctypes.find(([marker]) => declared.toUpperCase().includes(marker))
  return known?.[1] ?? '<!DOCTYPE html>'
}
