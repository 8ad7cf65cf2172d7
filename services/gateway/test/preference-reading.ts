/** Reads the public preference page in tests. */

/** The Accept header of a browser. */
export const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** The tokens of the buttons that unsubscribe at once, with the query of their address. */
export const actionsOf = (html: string) =>
  [...html.matchAll(/<form method="post" action="\/preferences\/([^"]+)">/g)].map(([, token]) => token!)

/** The text of a page, without the markup. */
export const textOf = (html: string) =>
  html
    .replace(/^[^]*<body>/, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
