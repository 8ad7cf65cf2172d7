import { Fault } from '@lettergate/fault'
import { parseUuid } from '@lettergate/values/uuid'

/** What a path names and this workspace does not have; a malformed id is simply not there. */
export const notFound = (noun: string): Fault =>
  new Fault('not_found', noun, `There is no such ${noun} in this workspace.`)

/** What a body names and this workspace does not have. */
export const unknownReference = (field: string): Fault =>
  new Fault('invalid_argument', field, `${field} names nothing in this workspace. Send the id of an existing one.`)

/** An id that stands in a path, in lower case. */
export function pathId(noun: string, text: string): string {
  const id = parseUuid(text)
  if (id === undefined) throw notFound(noun)
  return id
}

/** An id that stands in a body, in lower case. */
export function bodyId(field: string, text: string): string {
  const id = parseUuid(text)
  if (id === undefined) throw unknownReference(field)
  return id
}
