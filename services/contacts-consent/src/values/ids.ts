import { Fault } from '@lettergate/fault'
import { parseUuid } from '@lettergate/values/uuid'

/** The Fault for an id in a path that this workspace does not have. A malformed id counts as unknown. */
export const notFound = (noun: string): Fault =>
  new Fault('not_found', noun, `There is no such ${noun} in this workspace.`)

/** The Fault for an id in a body that this workspace does not have. */
export const unknownReference = (field: string): Fault =>
  new Fault('invalid_argument', field, `${field} names nothing in this workspace. Send the id of an existing one.`)

/** Parses an id in a path, in lower case. */
export function pathId(noun: string, text: string): string {
  const id = parseUuid(text)
  if (id === undefined) throw notFound(noun)
  return id
}

/** Parses an id in a body, in lower case. */
export function bodyId(field: string, text: string): string {
  const id = parseUuid(text)
  if (id === undefined) throw unknownReference(field)
  return id
}
