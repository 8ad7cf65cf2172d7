const units: readonly [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** `5400` → “1 hour 30 minutes”: the two largest units. Empty for nothing. */
export function spanOf(seconds: number): string {
  const words: string[] = []
  let left = Math.round(seconds)
  for (const [size, name] of units) {
    const count = Math.floor(left / size)
    if (count > 0) words.push(`${count} ${name}${count === 1 ? '' : 's'}`)
    left -= count * size
  }
  return words.slice(0, 2).join(' ')
}
