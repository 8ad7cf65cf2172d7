import type { Definition, JsonObject } from './definition.ts'
import { comparisonsOf } from './references.ts'

const bytesMax = 262_144
const comparedMax = 500
/** `contains` reads the whole text of a field, which may have 10,000 characters. */
const containsCounts = 10

/** A sentence if a definition has too many bytes as JSON text in UTF-8. */
export function tooLarge(given: JsonObject): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(given))
  return bytes <= bytesMax ? [] : [`The definition has ${bytes} bytes as JSON. Send at most ${bytesMax}.`]
}

/** A sentence if one decision could compare too many values, which would delay the steps of other contacts. */
export function tooManyComparisons({ edges }: Definition): string[] {
  const compared = edges
    .flatMap(({ condition }) => (condition ? comparisonsOf(condition) : []))
    .reduce((sum, { operator, value }) => sum + (operator === 'contains' ? containsCounts : [value].flat().length), 0)
  if (compared <= comparedMax) return []
  return [
    `The conditions of the definition compare ${compared} values. Each value of a list counts, and contains counts ten times. Compare at most ${comparedMax}.`,
  ]
}
