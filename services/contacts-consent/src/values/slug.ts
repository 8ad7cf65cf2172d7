import { Fault } from '@lettergate/fault'
import { requiredText } from './free-text.ts'

const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The short name of an audience or a source. Throws Fault `invalid_argument` with reason `slug`. */
export function parseSlug(given: string): string {
  const slug = requiredText('slug', given)
  if (!slugPattern.test(slug)) {
    throw new Fault(
      'invalid_argument',
      'slug',
      'slug must be small letters and digits, in words joined by single hyphens.',
    )
  }
  return slug
}
