const needsNoQuotes = /^\{[\w.:,-]*\}$/

/**
 * A PostgreSQL array literal, to be cast: `${arrayOf(ids)}::uuid[]`. Only for ids, numbers and names that need no quotes;
 * throws for other values. The driver escapes each text of an array, and for a large statement this is the largest cost.
 */
export function arrayOf(values: readonly (string | number)[]): string {
  const array = `{${values.join()}}`
  if (!needsNoQuotes.test(array)) throw new Error('arrayOf takes only values that need no quotes')
  return array
}

const special = /["\\]/

/** The same for any texts, which are almost never escaped: all of them are searched at once. */
export function textsOf(values: readonly (string | null)[]): string {
  const isPlain = !special.test(values.join())
  const quoted = (value: string) => `"${isPlain ? value : value.replaceAll(/["\\]/g, '\\$&')}"`
  return `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join()}}`
}
