import type { IncomingMessage } from 'node:http'

// A property of the request: a WeakMap with an entry for each request makes garbage collection expensive.
const waiting = Symbol('waiting for its body')
type Timed = IncomingMessage & { [waiting]?: { timer: NodeJS.Timeout; onLate: () => void } }

/** Calls `onLate` if the body of this request is not complete after this time. */
export function timeBody(req: Timed, ms: number, onLate: () => void): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers
  if (length === '0' && coding === undefined) return
  start(req, ms, onLate)
  req.once('close', () => clearTimeout(req[waiting]?.timer))
}

/** Gives the body of this request another time than usual, from now on. */
export function limitBody(req: Timed, ms: number): void {
  const known = req[waiting]
  if (!known) return
  clearTimeout(known.timer)
  start(req, ms, known.onLate)
}

function start(req: Timed, ms: number, onLate: () => void) {
  const timer = setTimeout(() => {
    if (!req.complete) onLate()
  }, ms).unref()
  req[waiting] = { timer, onLate }
}
