/** Schemes that the URL of an attribute may have. Only links and images may be relative. */
export const schemesOf: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['href', new Set(['http', 'https', 'mailto', 'tel', 'sms'])],
  ['src', new Set(['http', 'https', 'cid'])],
  ['background', new Set(['https'])],
])

/** Returns the URL as browsers read it: without white space and control characters. */
export function readableUrl(url: string): string {
  // eslint-disable-next-line no-control-regex
  return url.replace(/[\u0000-\u001f\u007f]/g, '').trim()
}

/** Whether a background image may be loaded from this URL, in CSS and in the attribute `background`. */
export const isBackgroundUrl = (url: string): boolean => /^https:\/\/[^/]/i.test(url)

/**
 * Returns why the URL of an attribute is refused: its scheme, or '' when it is empty, relative or a file share. Undefined
 * when it is allowed.
 */
export function refusedUrl(name: string, url: string): string | undefined {
  const scheme = refusedScheme(url, schemesOf.get(name) ?? new Set())
  if (scheme !== undefined) return scheme
  return url === '' || namesShare(url) || (name === 'background' && !isBackgroundUrl(url)) ? '' : undefined
}

/**
 * Whether a URL names a host without a scheme, or with a backslash. Windows may take it for a file share and sign in there
 * with the reader's account. `//host` is refused too, because an email has no scheme to complete it.
 */
export function namesShare(url: string): boolean {
  const read = withoutBlanks(url).replace(/%5c/gi, '\\').replace(/%2f/gi, '/')
  return /^(?:\\|\/[/\\])/.test(read) || /^[a-z][a-z0-9+.-]*:\/*[^/?#]*\\/i.test(read)
}

/** Returns the scheme (lowercase) that is refused, or undefined when the URL is allowed. */
export function refusedScheme(url: string, allowed: ReadonlySet<string>): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(withoutBlanks(url))?.[1]?.toLowerCase()
  return scheme === undefined || allowed.has(scheme) ? undefined : scheme
}

/** A URL as the most lenient browser reads it. */
// eslint-disable-next-line no-control-regex
const withoutBlanks = (url: string): string => url.replace(/[\u0000-\u0020\u007f-\u00a0]/g, '')
