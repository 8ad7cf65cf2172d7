import { Fault } from '@lettergate/fault'

/** The token for the recipient's signed unsubscribe link. */
export const unsubscribeToken = 'unsubscribe_url'

/** The token for the signed link that confirms a sign-up. It has a value in confirmation emails only. */
export const confirmationToken = 'confirmation_url'

/** Tokens whose values are links of this service. Only they may be the address of a link. */
export const isLinkToken = (name: string): boolean => name === unsubscribeToken || name === confirmationToken

/** One `{{ name }}`, with optional white space inside the braces. Use it with matchAll or a copy, because it is global. */
export const tokenPattern = /\{\{[ \t\r\n]*([a-z][a-z0-9_]{0,99})[ \t\r\n]*\}\}/g

export interface Token {
  name: string
  start: number
  end: number
}

/** Returns every token of a text in order. */
export function findTokens(text: string): Token[] {
  return Array.from(text.matchAll(tokenPattern), (match) => ({
    name: match[1] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** Whether a text contains braces that look like a token but are not, such as `{{ First Name }}`. Recipients would see them. */
export function hasMalformedToken(text: string): boolean {
  return text.replace(tokenPattern, '').includes('{{')
}

/** Refuses a token where its value cannot be escaped safely. `place` completes "in …". */
export function refuseTokens(text: string, place: string): void {
  if (findTokens(text).length > 0) throw misplaced(place)
}

/** Refuses a name that contains the beginning of a token. */
export function refuseBraces(name: string, place: string): void {
  if (name.includes('{{')) throw misplaced(place)
}

/**
 * Whether the name of a field suggests an email address or a secret of one person. `mailing`, as in `mailing_city`, refers
 * to postal mail.
 */
const isPersonal = (name: string): boolean =>
  isLinkToken(name) || /mail/.test(name.replace(/(?<![a-z0-9])mailing(?![a-z0-9])/g, ''))

/**
 * Refuses tokens that could choose the target of a link or the host of an image, and tokens that would reveal an address to
 * the image host.
 */
export function checkUrlTokens(url: string, attribute: string): void {
  const tokens = findTokens(url)
  const first = tokens[0]
  if (first === undefined) return
  if (attribute === 'href') {
    if (tokens.some((token) => !isLinkToken(token.name))) throw misplaced('the address of a link')
    if (tokens.length === 1 && first.start === 0 && first.end === url.length) return
  } else if (tokens.some(({ name }) => isPersonal(name)))
    throw misplaced('the URL of an image, which would send the address of each reader to the server of the image')
  if (!/^https?:\/\/[^/?#\\]+[/?#]/i.test(url.slice(0, first.start))) throw misplaced('the scheme or host of a URL')
}

const occurrencesMax = 5_000
const namesMax = 200

/**
 * Refuses texts with so many tokens that rendering each message would take milliseconds. Fault `invalid_argument` names the
 * field.
 */
export function checkTokenCount(texts: Readonly<Record<string, string>>): void {
  const names = new Set<string>()
  for (const [field, text] of Object.entries(texts)) {
    const tokens = findTokens(text)
    for (const { name } of tokens) names.add(name)
    if (tokens.length > occurrencesMax)
      throw new Fault('invalid_argument', field, `${field} has more than ${occurrencesMax} personalization tokens.`)
    if (names.size > namesMax)
      throw new Fault(
        'invalid_argument',
        field,
        `${field} brings the different personalization tokens to more than ${namesMax}.`,
      )
  }
}

export function misplaced(place: string): Fault {
  return new Fault(
    'invalid_argument',
    'html',
    `html has a personalization token in ${place}. Use tokens in text and in quoted attribute values only.`,
  )
}
