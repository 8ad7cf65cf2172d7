/** One line of a file, and what the dry run of an empty workspace makes of it. */
const kinds = [
  'subscribed',
  'subscribed',
  'subscribed',
  'subscribed',
  'subscribed',
  'subscribed',
  'pending',
  'unsubscribed',
  'suppressed',
  'invalid',
] as const

const header = 'email,first_name,company,status'

/** A file with this many rows of all kinds: most are new people with consent, every 20th row repeats an address. */
export function peopleFile(rows: number, name = 'person'): string {
  const lines = Array.from({ length: rows }, (_, n) => {
    const person = n % 20 === 19 ? n - 7 : n
    const kind = kinds[person % kinds.length]!
    if (kind === 'invalid') return `${name}${person} at example.org,Nobody,,subscribed`
    return `${name}${person}@example.org,First ${person},"Company, ${person % 50}",${kind}`
  })
  return `${[header, ...lines].join('\n')}\n`
}
