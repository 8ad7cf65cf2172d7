/** How tests read the public preference page. */

/** The Accept header of a browser. */
export const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** The tokens of the buttons that end something at once, with the query that their address has. */
export const actionsOf = (html: string) =>
  [...html.matchAll(/<form method="post" action="\/preferences\/([^"]+)">/g)].map(([, token]) => token!)

/** What a reader sees, without the markup. */
export const said = (html: string) =>
  html
    .replace(/^[^]*<body>/, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
