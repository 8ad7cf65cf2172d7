/**
 * A text as far as it can be read and typed: any white space between its words is one space, an accent is no character of its
 * own, and characters that are not drawn, or only change how others are, are left out. The service compares what it gets exactly.
 */
export const asShown = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\p{Cf}\p{DI}\u2800]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** What must be typed for a phrase: never nothing, also if the phrase is a name of which nothing is drawn. */
export const askedFor = (phrase: string): string => asShown(phrase) || 'a name that does not show'
