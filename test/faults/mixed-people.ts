import { addressOf } from '@lettergate/load/audience'

/** What becomes of the messages of one in so many people, as the local mail provider reads it from their address; the others' are delivered. */
const suffixes: readonly string[] = [
  '+hardbounce',
  '+softfail',
  '+softthenok',
  '+complain',
  '+unsubscribe',
  '+open',
  '+click',
  '+silent',
]
const everyOtherOf = 50

/** The suffix of person `n` as SQL, for `fillAudience`. */
export const suffixSql = `coalesce((array[${suffixes.map((suffix) => `'${suffix}'`).join(', ')}])[n % ${everyOtherOf} + 1], '')`

/** The normalized addresses of an audience that was filled with it. */
export const addressesOf = (slug: string, people: number): string[] =>
  Array.from({ length: people }, (_, index) => addressOf(slug, index + 1, suffixes[(index + 1) % everyOtherOf] ?? ''))
