import { Fault } from '@lettergate/fault'

/** The answer for a thing that is not there, and equally for one that is somebody else's. */
export const missing = (noun: string): Fault =>
  new Fault('not_found', noun.replaceAll(' ', '_'), `There is no such ${noun}.`)

/** The answer for an id inside a body that names nothing in this workspace. */
export const unknownReference = (field: string, noun: string): Fault =>
  new Fault('invalid_argument', field, `${field} names no ${noun} of this workspace.`)
