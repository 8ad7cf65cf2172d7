import { namesShare } from './url-policy.ts'

function words(text: string): string[] {
  return text.split(' ')
}

const shape =
  'alt arcsize fill fillcolor filled href id class stroke strokecolor stroked strokeweight style target title'

const elements: Readonly<Record<string, readonly string[]>> = {
  xml: [],
  'o:OfficeDocumentSettings': [],
  'o:AllowPNG': [],
  'o:PixelsPerInch': [],
  'o:p': [],
  'v:background': words('fill fillcolor'),
  'v:fill': words('angle aspect color color2 focus opacity origin position size src type'),
  'v:image': words(`${shape} src`),
  'v:oval': words(shape),
  'v:rect': words(shape),
  'v:roundrect': words(shape),
  'v:stroke': words('color dashstyle opacity weight'),
  'v:textbox': words('inset style'),
  'w:anchorlock': [],
}

/** Additional elements in conditional comments, by lowercase name, in the spelling that Outlook needs, because it parses XML. */
export const outlookTags: ReadonlyMap<string, string> = new Map(
  Object.keys(elements).map((name) => [name.toLowerCase(), name]),
)

const attributesOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(elements).map(([name, attributes]) => [name.toLowerCase(), new Set(attributes)]),
)

const free = new Set(words('alt class href id src style target title'))

/**
 * Whether an Outlook element may have this attribute (both lowercase). A value that is not text, a URL or CSS must be a
 * plain number, word or colour.
 */
export function isAllowedOutlookAttribute(tag: string, name: string, value: string): boolean {
  if (attributesOf.get(tag)?.has(name) !== true) return false
  return free.has(name) || /^[\w\s.,%#()+-]{0,100}$/.test(value)
}

/** HTML elements that occur once in a document, and therefore not in a conditional comment. */
const onlyOutside = new Set(words('html head title meta'))

export const isOnlyOutside = (tag: string): boolean => onlyOutside.has(tag)

/** Whether an Outlook element may use this URL. Outlook would also load from hosts of the local network and from file shares. */
export const isOutlookUrl = (url: string): boolean => /^https?:\/\/[^/\\?#]/i.test(url) && !namesShare(url)
