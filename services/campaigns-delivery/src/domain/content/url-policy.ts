/** Schemes a link of a mail may have; without a scheme it is a fragment or a relative link. */
export const linkSchemes: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'tel', 'sms'])

/** Schemes an image of a mail may be loaded by. */
export const imageSchemes: ReadonlySet<string> = new Set(['http', 'https', 'cid'])

/** Schemes a background image may be loaded by. */
export const backgroundSchemes: ReadonlySet<string> = new Set(['https'])

/** The URL as browsers read it: without the white space and control characters they ignore. */
export function readableUrl(url: string): string {
  // eslint-disable-next-line no-control-regex
  return url.replace(/[\u0000-\u001f\u007f]/g, '').trim()
}

/** The scheme that keeps a URL out, lowercase, or undefined when the URL may stay. Reads schemes as leniently as the most lenient browser. */
export function refusedScheme(url: string, allowed: ReadonlySet<string>): string | undefined {
  // eslint-disable-next-line no-control-regex
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.replace(/[\u0000-\u0020\u007f-\u00a0]/g, ''))?.[1]?.toLowerCase()
  return scheme === undefined || allowed.has(scheme) ? undefined : scheme
}
