const needsNoQuotes = /^\{[\w.:,-]*\}$/

/**
 * An array as PostgreSQL reads it, to be cast: `${arrayOf(ids)}::uuid[]`. For ids, numbers and names of ours, which need no
 * quotes; the driver escapes each text of an array, which costs more than all else about a large statement. Throws for others.
 */
export function arrayOf(values: readonly (string | number)[]): string {
  const array = `{${values.join()}}`
  if (!needsNoQuotes.test(array)) throw new Error('arrayOf takes what needs no quotes')
  return array
}
