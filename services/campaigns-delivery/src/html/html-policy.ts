function words(text: string): string[] {
  return text.split(' ')
}

/** Elements a mail may consist of. `meta` has further conditions, `style` is handled apart. */
export const allowedTags: ReadonlySet<string> = new Set(
  [
    'html head title meta body table thead tbody tfoot tr td th caption colgroup col',
    'div span p center blockquote pre address article aside footer header main nav section figure figcaption',
    'h1 h2 h3 h4 h5 h6 ul ol li dl dt dd hr br wbr a img map area picture',
    'b strong i em u s strike del ins small big sub sup font tt code kbd samp var cite q abbr acronym dfn mark time bdi bdo',
  ].flatMap(words),
)

/** Elements whose inside is discarded with them, since it is not text for the reader. */
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

/** The allow-list in the form sanitize-html takes: attribute names by tag, `*` for all. */
export const allowedAttributes: Record<string, string[]> = {
  ...Object.fromEntries(Object.entries(attributes).map(([tag, names]) => [tag, [...names]])),
  '*': [...attributes['*'], 'aria-*'],
}

const attributeSets = new Map<string, ReadonlySet<string>>(
  Object.entries(attributes).map(([tag, names]) => [tag, new Set<string>(names)]),
)

/** Whether this attribute may stand on this element (both lowercase). */
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

/** Whether a prefix, when the attribute declares one, stands for the markup of Outlook that has this prefix everywhere. */
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
 * A meta element stays when it describes the document; one that refreshes, redirects or sets a policy does not, nor one that
 * names another encoding than the UTF-8 that is sent: read in it, harmless bytes may become markup.
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

/** The document type as it may stand in mail: one of the known ones, since it decides how clients lay tables out, else plain HTML. */
export function canonicalDoctype(declared: string): string {
  const known = doctypes.find(([marker]) => declared.toUpperCase().includes(marker))
  return known?.[1] ?? '<!DOCTYPE html>'
}
