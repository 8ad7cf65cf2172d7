import { parseSlug } from '@lettergate/values/slug'

/** Maximum lengths in characters. */
export const charsMax = { name: 160, subject: 300, other: 500, body: 2 * 1024 * 1024 } as const

/** The short name of an email template. Throws Fault `invalid_argument` with reason `slug`. */
export const requiredSlug = (given: string): string => parseSlug('slug', given, charsMax.name)
