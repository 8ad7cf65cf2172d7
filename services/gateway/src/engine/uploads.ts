import type { IncomingMessage } from 'node:http'
import { HttpFault } from '@lettergate/http'
import { limitBody } from '@lettergate/http/body-time'
import type { Authenticated } from './authenticate.ts'
import type { FormLimits } from './read-form.ts'

export interface UploadOptions {
  /** uploads of this process at the same time */
  atOnce: number
  /** of one workspace */
  perWorkspace: number
  /** for a whole upload, answer included */
  timeoutMs: number
  /** on average over half a minute in which bytes are wanted */
  bytesPerSecondMin: number
}

/** How slow one upload may be. */
export type PaceLimits = Pick<FormLimits, 'timeoutMs' | 'paceMs' | 'bytesPerSecondMin'>

/** Limits uploads in number and time: each holds a connection and a stream for minutes. */
export interface Uploads {
  /** Throws 429 with Retry-After when too many are in progress. The body of the request may take longer than those of others. */
  run<T>(caller: Authenticated, req: IncomingMessage, work: (limits: PaceLimits) => Promise<T>): Promise<T>
}

const paceMs = 30_000

export function openUploads({ atOnce, perWorkspace, timeoutMs, bytesPerSecondMin }: UploadOptions): Uploads {
  const ofWorkspace = new Map<string, number>()
  let inProgress = 0
  return {
    async run(caller, req, work) {
      const key = caller.principal.workspace?.id ?? ''
      const ofThis = ofWorkspace.get(key) ?? 0
      if (inProgress >= atOnce || ofThis >= perWorkspace) throw tooManyAtOnce()
      inProgress += 1
      ofWorkspace.set(key, ofThis + 1)
      limitBody(req, timeoutMs)
      try {
        return await work({ timeoutMs, paceMs, bytesPerSecondMin })
      } finally {
        inProgress -= 1
        const left = ofWorkspace.get(key)! - 1
        if (left === 0) ofWorkspace.delete(key)
        else ofWorkspace.set(key, left)
      }
    },
  }
}

const tooManyAtOnce = () =>
  new HttpFault(
    429,
    'uploads_at_once',
    'Too many files are being uploaded already. Wait until one of them is complete and send the file again.',
    { headers: { 'Retry-After': '30' } },
  )
