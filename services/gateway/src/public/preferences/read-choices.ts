import type { IncomingMessage } from 'node:http'
import { Fault } from '@lettergate/fault'
import { HttpFault } from '@lettergate/http'
import { isUuid } from '@lettergate/values/uuid'
import { readBytes } from '@lettergate/http/read-bytes'

/** Enough for a choice about each of the 1,000 audiences of a workspace. */
const bytesMax = 65_536

/**
 * The ids that the form of the preference page marks `leave`; the others must be marked `keep`. An id with both marks is left.
 * Throws HttpFault 415 and Fault `invalid_argument`, reason `choices`.
 */
export async function readChoices(req: IncomingMessage): Promise<string[]> {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded' || (req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new HttpFault(415, 'content_type', 'This address takes the form of the preference page, as browsers send it.')
  }
  const form = new URLSearchParams((await readBytes(req, bytesMax)).toString('utf8'))
  const leaving = new Set<string>()
  for (const [id, choice] of form) {
    if (!isUuid(id) || (choice !== 'keep' && choice !== 'leave')) {
      throw new Fault('invalid_argument', 'choices', 'Each field must be the id of an audience with keep or leave.')
    }
    if (choice === 'leave') leaving.add(id.toLowerCase())
  }
  return [...leaving]
}
