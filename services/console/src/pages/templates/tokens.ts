const pattern = /\{\{\s*([a-z][a-z0-9_]{0,99})\s*\}\}/g

/** Tokens that the service fills for each person; they need no default. */
const ofTheService = new Set(['unsubscribe_url', 'confirmation_url'])

/** The names of the tokens of some texts that can have a default, in order and once each. */
export const tokensOf = (...texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap((text) => Array.from(text.matchAll(pattern), (match) => match[1]!)))].filter(
    (name) => !ofTheService.has(name),
  )
