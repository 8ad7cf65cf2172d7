const compared = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Longer names are compared only without case and punctuation, so that one request cannot cost much. */
const charsMax = 40

/** How many characters must be added, removed or replaced to get from one text to the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row.at(-1)!
}

/** The header that is most like this name, if one is: the same without case and punctuation, a part of it, or a few characters off. */
export function nearestHeader(name: string, headers: readonly string[]): string | undefined {
  const wanted = compared(name)
  if (wanted === '') return undefined
  const known = headers.map((header) => ({ header, text: compared(header) })).filter(({ text }) => text !== '')
  const same = known.find(({ text }) => text === wanted)
  if (same || wanted.length > charsMax) return same?.header
  const short = known.filter(({ text }) => text.length <= charsMax)
  const part = short.find(
    ({ text }) => Math.min(text.length, wanted.length) >= 3 && (text.includes(wanted) || wanted.includes(text)),
  )
  if (part) return part.header
  const mostChanges = Math.floor(wanted.length / 3)
  const [nearest] = short
    .filter(({ text }) => Math.abs(text.length - wanted.length) <= mostChanges)
    .map(({ header, text }) => ({ header, changes: distance(wanted, text) }))
    .filter(({ changes }) => changes <= mostChanges)
    .toSorted((a, b) => a.changes - b.changes)
  return nearest?.header
}
