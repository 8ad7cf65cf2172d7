import { Fault } from '@lettergate/fault'

/** Whether a text can be an id at all; asking the database with anything else would be an error instead of an answer. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)

/** The answer for a thing that is not there, and equally for one that is somebody else's. */
export const missing = (noun: string): Fault =>
  new Fault('not_found', noun.replaceAll(' ', '_'), `There is no such ${noun}.`)

/** The answer for an id inside a body that names nothing in this workspace. */
export const unknownReference = (field: string, noun: string): Fault =>
  new Fault('invalid_argument', field, `${field} names no ${noun} of this workspace.`)
