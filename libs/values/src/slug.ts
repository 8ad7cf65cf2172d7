import { Fault } from '@lettergate/fault'
import { requiredText } from './text.ts'

/** Whether a text is a slug: words of lower-case letters and digits, joined by single hyphens. Other texts name no object, so no query is needed. */
export const isSlug = (text: string): boolean => /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text)

/** A slug of at most `max` characters. Throws Fault `invalid_argument` with the field. */
export function parseSlug(field: string, given: string, max: number): string {
  const slug = requiredText(field, given, max)
  if (isSlug(slug)) return slug
  throw new Fault(
    'invalid_argument',
    field,
    `${field} must be small letters and digits, in words joined by single hyphens.`,
  )
}
