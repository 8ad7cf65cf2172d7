import { status, type Client as GrpcClient } from '@grpc/grpc-js'
import { lookup } from 'node:dns/promises'
import { ignoring } from '@lettergate/fault'
import { openLine, type Line } from './line.ts'

/** The lines of one channel: one for each replica that its name resolves to. */
export interface Lines {
  /** A line that takes calls now; each time the next one. */
  next(): Line | undefined
  /** At least one line is open, or the other side does not know the exchange: it is known how calls can go. */
  isSettled(): boolean
  /** No line is open because the other side does not know the exchange. */
  isRefused(): boolean
  /** Opens none any more, and resolves when those that are there have ended, after `withinMs` by force. */
  retire(withinMs: number): Promise<void>
}

interface Place {
  line: Line | undefined
  isOpen: boolean
  isRefused: boolean
  failures: number
  /** how often it was opened to where another leads too */
  doubled: number
  timer?: NodeJS.Timeout
}

const linesMax = 8
/** By then the channel is connected to every replica, and takes them in turn. */
const othersAfterMs = 250
const refusedForMs = 30_000
const reopenMs = 20

/** Nobody comes back in step with others. */
const jittered = (ms: number) => ms * (0.5 + Math.random())

/** Of a name, the addresses it has; of a list (`ipv4:host:port,host:port`), its length. */
async function replicasOf(target: string): Promise<number> {
  if (target.startsWith('ipv4:') || target.startsWith('ipv6:')) return target.split(',').length
  const host = target.slice(0, target.lastIndexOf(':')).replace(/^\[|\]$/g, '')
  try {
    return (await lookup(host, { all: true })).length
  } catch (error) {
    ignoring(error, 'the channel asks again by itself, and one line serves as soon as it gets an answer')
    return 1
  }
}

/** Keeps lines open: what ends is opened again, after a moment when it had not even begun. `onChange`: there may be room. */
export function openLines(channel: GrpcClient, target: string, onChange: () => void): Lines {
  const places: Place[] = []
  const leaving = new Set<Line>()
  let turn = 0
  let others: NodeJS.Timeout | undefined
  let retired: (() => void) | undefined

  function open(place: Place) {
    const line = openLine(channel, {
      onOpen() {
        Object.assign(place, { isOpen: true, isRefused: false, failures: 0 })
        // The channel takes replicas in turn, so another try leads elsewhere; unless there is no other right now.
        place.doubled = isDouble(place) ? place.doubled + 1 : 0
        if (place.doubled > 0 && place.doubled < places.length) {
          line.retire()
          return replace()
        }
        place.doubled = 0
        if (places.length === 1 && !retired) others ??= setTimeout(() => void openOthers(), othersAfterMs).unref()
        onChange()
      },
      onRoom: onChange,
      onDraining: replace,
      onEnd(code) {
        leaving.delete(line)
        if (place.line === line) {
          place.isRefused = code === status.UNIMPLEMENTED
          place.failures = place.isOpen ? 0 : place.failures + 1
          const waitMs = place.isRefused ? refusedForMs : Math.min(2_000, 50 * 2 ** place.failures)
          empty(place, place.isOpen ? reopenMs : waitMs)
        }
        retired?.()
      },
    })
    place.line = line
    /** What it has under way ends by itself, while another takes its place. */
    function replace() {
      leaving.add(line)
      empty(place, reopenMs)
    }
  }

  function empty(place: Place, forMs: number) {
    Object.assign(place, { line: undefined, isOpen: false })
    if (!retired) place.timer = setTimeout(() => open(place), jittered(forMs)).unref()
    onChange()
  }

  const isDouble = (place: Place) =>
    places.some((other) => other !== place && other.isOpen && other.line?.peer() === place.line!.peer())

  function add() {
    const place: Place = { line: undefined, isOpen: false, isRefused: false, failures: 0, doubled: 0 }
    places.push(place)
    open(place)
  }

  async function openOthers() {
    const wanted = Math.min(linesMax, await replicasOf(target))
    while (places.length < wanted && !retired) add()
  }

  add()
  return {
    next() {
      for (let tried = 0; tried < places.length; tried += 1) {
        turn = (turn + 1) % places.length
        const { line } = places[turn]!
        if (line && line.room() > 0) return line
      }
      return undefined
    },
    isSettled: () => places.some((place) => place.isOpen || place.isRefused),
    isRefused: () => !places.some((place) => place.isOpen) && places.some((place) => place.isRefused),
    async retire(withinMs) {
      clearTimeout(others)
      for (const place of places) clearTimeout(place.timer)
      await new Promise<void>((resolve) => {
        const there = () => [...places.flatMap(({ line }) => line ?? []), ...leaving]
        const force = setTimeout(() => there().forEach((line) => line.abandon()), withinMs)
        retired = () => {
          if (there().length > 0) return
          clearTimeout(force)
          resolve()
        }
        for (const line of there()) line.retire()
        retired()
      })
    },
  }
}
