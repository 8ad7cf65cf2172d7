import { domainToASCII } from 'node:url'
import { requiredText } from '@lettergate/values/text'

/** A search text: a complete domain after an @, or a prefix. */
export type Search = { readonly domain: string } | { readonly beginning: string }

/** In lower case; a domain in punycode, as addresses are kept. Throws Fault `invalid_argument` naming search. */
export function parseSearch(given: string | undefined): Search | null {
  if (given === undefined) return null
  const text = requiredText('search', given.trim()).toLowerCase()
  if (!text.startsWith('@')) return { beginning: text }
  return { domain: domainToASCII(text.slice(1)) || text.slice(1) }
}
