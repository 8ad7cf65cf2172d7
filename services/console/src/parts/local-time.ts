/** The value of an input for a time, from a moment, in UTC or in the zone of the browser. Nothing for what is no moment. */
export function inputOf(at: string, isUtc: boolean): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const shift = isUtc ? 0 : date.getTimezoneOffset() * 60_000
  return new Date(date.getTime() - shift).toISOString().slice(0, 16)
}

/** The moment of the value of an input, in UTC. Nothing for an incomplete value. */
export function momentOf(input: string, isUtc: boolean): string {
  const date = new Date(isUtc ? `${input}Z` : input)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
