/**
 * A sanitised page whose links do nothing in a sandboxed frame: each would open a new window, which the sandbox refuses. In the
 * frame itself a link would replace the page.
 */
export const withInertLinks = (html: string): string =>
  html
    .replaceAll(/(<(?:a|area)\b[^>]*?)\starget="[^"]*"/gi, '$1')
    .replace(/^(?:<!doctype[^>]*>)?/i, '$&<base target="_blank">')
