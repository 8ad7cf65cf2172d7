const charactersMax = 40

/** Characters of names only. */
const name = /^[\p{L}\p{M}' ’.-]+$/u
const domain = /\p{L}\.\p{L}{2,}/u

/**
 * The fields of a person that a confirmation email may show: short names. The user of the form chooses these values, and the
 * email goes to an address that may belong to somebody else. Without this limit a form would send links and texts to
 * anybody, in the name of the workspace. A field that is left out gets the default of the content.
 */
export const harmlessFields = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value.length <= charactersMax && name.test(value) && !domain.test(value),
    ),
  )
