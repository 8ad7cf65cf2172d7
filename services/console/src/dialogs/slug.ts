import { slugOf } from '../parts/words.ts'

/** The input of a dialog that creates something with a name and a slug. */
export const slugField = {
  kind: 'text',
  label: 'Slug',
  about: 'For programs: small characters, digits and hyphens. Leave it empty to make it from the name.',
  isRequired: false,
} as const

/** The typed slug, or one from the name. A name without Latin characters gives the kind and a part of the key, which a repeat keeps. */
export const slugFor = (kind: string, name: string, typed: string, key: string): string =>
  typed.trim() || slugOf(name) || `${kind}-${key.slice(0, 6)}`
