import { convert, type HtmlToTextOptions } from 'html-to-text'

const heading = { options: { uppercase: false, leadingLineBreaks: 2, trailingLineBreaks: 1 } }

const options: HtmlToTextOptions = {
  wordwrap: false,
  selectors: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, ...heading })),
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    { selector: 'img', format: 'alternativeText' },
    { selector: 'title', format: 'skip' },
    { selector: 'head', format: 'skip' },
    { selector: 'style', format: 'skip' },
    ...['td', 'th'].map((selector) => ({
      selector,
      format: 'block',
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
  ],
  formatters: {
    alternativeText: ({ attribs }, _walk, builder) => builder.addInline(` ${attribs['alt'] ?? ''} `),
  },
  // sanitised HTML is limited already; another limit here would truncate the text silently
  limits: { maxInputLength: Number.MAX_SAFE_INTEGER },
}

/** Returns the plain text alternative of sanitised HTML: full links, alternative texts of images, unchanged tokens. */
export function plainTextOf(sanitisedHtml: string): string {
  return convert(sanitisedHtml, options).trim()
}
