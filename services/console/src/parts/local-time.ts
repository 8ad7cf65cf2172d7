/** The value of an input for a local time, from a moment. */
export const localOf = (at: string): string => {
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
