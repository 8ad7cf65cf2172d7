import type { JsonObject } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'

/** Longest free object, as JSON: lists of them, and proofs, have to be answered in one piece. */
export const objectCharsMax = 16_384

/** An object whose inside is the caller's own, or nothing. Throws Fault `invalid_argument` naming the field. */
export function optionalObject(field: string, given: JsonObject | undefined): JsonObject | undefined {
  if (given !== undefined && JSON.stringify(given).length > objectCharsMax) {
    throw new Fault('invalid_argument', field, `${field} is longer than ${objectCharsMax} characters. Shorten it.`)
  }
  return given
}
