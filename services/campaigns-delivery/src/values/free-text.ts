import { Fault } from '@lettergate/fault'

/** Maximum lengths in characters. */
export const charsMax = { name: 160, subject: 300, other: 500, body: 2 * 1024 * 1024 } as const

/** A text that is not blank, within the limit and without NUL. Fault `invalid_argument` names the field. */
export function requiredText(field: string, value: string, max: number): string {
  if (value.trim() === '') throw new Fault('invalid_argument', field, `${field} must not be empty.`)
  return checked(field, value, max)
}

/** An optional text; unset is null. Fault `invalid_argument` names the field. */
export const optionalText = (field: string, value: string | undefined, max: number): string | null =>
  value === undefined ? null : checked(field, value, max)

function checked(field: string, value: string, max: number): string {
  if (value.includes('\u0000'))
    throw new Fault('invalid_argument', field, `${field} contains a NUL character. Remove it.`)
  if (value.length > max && Array.from(value).length > max)
    throw new Fault('invalid_argument', field, `${field} is longer than ${max} characters. Shorten it.`)
  return value
}

/** Lowercase letters and digits in words joined by single hyphens. Fault `invalid_argument` names the field. */
export function parseSlug(value: string): string {
  const slug = requiredText('slug', value, charsMax.name)
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug))
    throw new Fault(
      'invalid_argument',
      'slug',
      'slug must be small letters and digits, in words joined by single hyphens.',
    )
  return slug
}
