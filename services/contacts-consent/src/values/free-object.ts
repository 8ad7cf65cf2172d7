import type { JsonObject } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'

/** The maximum length of a free object as JSON. Pages and proofs with many of them must fit into one answer. */
export const objectCharsMax = 16_384

/** An object with any content of the caller, or undefined. Throws Fault `invalid_argument` with the field. */
export function optionalObject(field: string, given: JsonObject | undefined): JsonObject | undefined {
  if (given !== undefined && JSON.stringify(given).length > objectCharsMax) {
    throw new Fault('invalid_argument', field, `${field} is longer than ${objectCharsMax} characters. Shorten it.`)
  }
  return given
}
