import { Fault } from '@lettergate/fault'

/** The Fault for an unknown object, and also for an object of another tenant. */
export const missing = (noun: string): Fault =>
  new Fault('not_found', noun.replaceAll(' ', '_'), `There is no such ${noun}.`)

/** The Fault for an id in a request body that does not exist in this workspace. */
export const unknownReference = (field: string, noun: string): Fault =>
  new Fault('invalid_argument', field, `${field} names no ${noun} of this workspace.`)
