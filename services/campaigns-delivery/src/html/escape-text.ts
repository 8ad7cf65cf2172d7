/** Escapes text between tags. Quotes stay, as a parser of HTML writes them. */
export const escapeText = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
