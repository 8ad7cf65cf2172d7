/** Schemes that the URL of an attribute may have. Without a scheme it is relative: only links and images may be. */
export const schemesOf: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['href', new Set(['http', 'https', 'mailto', 'tel', 'sms'])],
  ['src', new Set(['http', 'https', 'cid'])],
  ['background', new Set(['https'])],
])

/** The URL as browsers read it: without the white space and control characters they ignore. */
export function readableUrl(url: string): string {
  // eslint-disable-next-line no-control-regex
  return url.replace(/[\u0000-\u001f\u007f]/g, '').trim()
}

/** Whether a background image may be loaded from there. The same holds in CSS and in the attribute `background`. */
export const isBackgroundUrl = (url: string): boolean => /^https:\/\/[^/]/i.test(url)

/** Why the URL of an attribute may not stay: its scheme, or '' when it is empty, relative or names a file share. Undefined when it may stay. */
export function refusedUrl(name: string, url: string): string | undefined {
  const scheme = refusedScheme(url, schemesOf.get(name) ?? new Set())
  if (scheme !== undefined) return scheme
  return url === '' || namesShare(url) || (name === 'background' && !isBackgroundUrl(url)) ? '' : undefined
}

/**
 * Whether a URL names a computer without a scheme, or with a backslash. Windows may take such a URL for a file share, and sign in
 * there with the account of the reader. `//host` is refused, too: an email has no scheme of its own that would complete it.
 */
export function namesShare(url: string): boolean {
  const read = withoutBlanks(url).replace(/%5c/gi, '\\').replace(/%2f/gi, '/')
  return /^(?:\\|\/[/\\])/.test(read) || /^[a-z][a-z0-9+.-]*:\/*[^/?#]*\\/i.test(read)
}

/** The scheme that keeps a URL out, lowercase, or undefined when the URL may stay. */
export function refusedScheme(url: string, allowed: ReadonlySet<string>): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(withoutBlanks(url))?.[1]?.toLowerCase()
  return scheme === undefined || allowed.has(scheme) ? undefined : scheme
}

/** A URL as the most lenient browser reads it. */
// eslint-disable-next-line no-control-regex
const withoutBlanks = (url: string): string => url.replace(/[\u0000-\u0020\u007f-\u00a0]/g, '')
