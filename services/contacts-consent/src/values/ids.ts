import { Fault } from '@lettergate/fault'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isId = (text: string): boolean => uuid.test(text)

/** What a path names and this workspace does not have; a malformed id is simply not there. */
export const notFound = (noun: string): Fault =>
  new Fault('not_found', noun, `There is no such ${noun} in this workspace.`)

/** What a body names and this workspace does not have. */
export const unknownReference = (field: string): Fault =>
  new Fault('invalid_argument', field, `${field} names nothing in this workspace. Send the id of an existing one.`)

/** An id that stands in a path. */
export function pathId(noun: string, text: string): string {
  if (!isId(text)) throw notFound(noun)
  return text
}

/** An id that stands in a body. */
export function bodyId(field: string, text: string): string {
  if (!isId(text)) throw unknownReference(field)
  return text
}
