import { status, type Client as GrpcClient } from '@grpc/grpc-js'
import { lookup } from 'node:dns/promises'
import { ignoring } from '@lettergate/fault'
import { openCallStream, type CallStream } from './call-stream.ts'

/** The call streams of one channel: one for each replica that its name resolves to. */
export interface StreamPool {
  /** A stream that can take calls now, in round-robin order. */
  nextStream(): CallStream | undefined
  /** True if at least one stream is open, or the other side does not implement the exchange. */
  isSettled(): boolean
  /** True if no stream is open because the other side does not implement the exchange. */
  isRefused(): boolean
  /** Opens no more streams. Resolves when the existing ones have ended; ends them by force after `withinMs`. */
  retire(withinMs: number): Promise<void>
}

interface Slot {
  stream: CallStream | undefined
  isOpen: boolean
  isRefused: boolean
  failures: number
  /** how often in a row it was opened to a replica that another stream has already */
  duplicates: number
  timer?: NodeJS.Timeout
}

const streamsMax = 8
/** After this time the channel is connected to every replica, and uses them in round-robin order. */
const openOthersAfterMs = 250
const refusedForMs = 30_000
const reopenMs = 20

/** Spreads reconnects over time. */
const jittered = (ms: number) => ms * (0.5 + Math.random())

/** The number of addresses of a name, or the length of a list (`ipv4:host:port,host:port`). */
async function replicasOf(target: string): Promise<number> {
  if (target.startsWith('ipv4:') || target.startsWith('ipv6:')) return target.split(',').length
  const host = target.slice(0, target.lastIndexOf(':')).replace(/^\[|\]$/g, '')
  try {
    return (await lookup(host, { all: true })).length
  } catch (error) {
    ignoring(error, 'the channel resolves the name again by itself, and one stream is enough until then')
    return 1
  }
}

/** Keeps streams open: a stream that ends is opened again, with a delay if it could not open. `onChange`: capacity may have changed. */
export function openStreamPool(channel: GrpcClient, target: string, onChange: () => void): StreamPool {
  const slots: Slot[] = []
  const retiring = new Set<CallStream>()
  let lastSlot = 0
  let others: NodeJS.Timeout | undefined
  let retired: (() => void) | undefined

  function open(slot: Slot) {
    const stream = openCallStream(channel, {
      onOpen() {
        Object.assign(slot, { isOpen: true, isRefused: false, failures: 0 })
        // The channel uses replicas in round-robin order, so another attempt reaches another replica, if there is one now.
        slot.duplicates = isDuplicate(slot) ? slot.duplicates + 1 : 0
        if (slot.duplicates > 0 && slot.duplicates < slots.length) {
          stream.retire()
          return replace()
        }
        slot.duplicates = 0
        if (slots.length === 1 && !retired) others ??= setTimeout(() => void openOthers(), openOthersAfterMs).unref()
        onChange()
      },
      onCapacity: onChange,
      onDraining: replace,
      onEnd(code) {
        retiring.delete(stream)
        if (slot.stream === stream) {
          slot.isRefused = code === status.UNIMPLEMENTED
          slot.failures = slot.isOpen ? 0 : slot.failures + 1
          const waitMs = slot.isRefused ? refusedForMs : Math.min(2_000, 50 * 2 ** slot.failures)
          reopen(slot, slot.isOpen ? reopenMs : waitMs)
        }
        retired?.()
      },
    })
    slot.stream = stream
    /** Calls in progress end on the old stream, while a new one replaces it. */
    function replace() {
      retiring.add(stream)
      reopen(slot, reopenMs)
    }
  }

  function reopen(slot: Slot, afterMs: number) {
    Object.assign(slot, { stream: undefined, isOpen: false })
    if (!retired) slot.timer = setTimeout(() => open(slot), jittered(afterMs)).unref()
    onChange()
  }

  const isDuplicate = (slot: Slot) =>
    slots.some((other) => other !== slot && other.isOpen && other.stream?.peer() === slot.stream!.peer())

  function add() {
    const slot: Slot = { stream: undefined, isOpen: false, isRefused: false, failures: 0, duplicates: 0 }
    slots.push(slot)
    open(slot)
  }

  async function openOthers() {
    const wanted = Math.min(streamsMax, await replicasOf(target))
    while (slots.length < wanted && !retired) add()
  }

  add()
  return {
    nextStream() {
      for (let tried = 0; tried < slots.length; tried += 1) {
        lastSlot = (lastSlot + 1) % slots.length
        const { stream } = slots[lastSlot]!
        if (stream && stream.capacity() > 0) return stream
      }
      return undefined
    },
    isSettled: () => slots.some((slot) => slot.isOpen || slot.isRefused),
    isRefused: () => !slots.some((slot) => slot.isOpen) && slots.some((slot) => slot.isRefused),
    async retire(withinMs) {
      clearTimeout(others)
      for (const slot of slots) clearTimeout(slot.timer)
      await new Promise<void>((resolve) => {
        const existing = () => [...slots.flatMap(({ stream }) => stream ?? []), ...retiring]
        const force = setTimeout(() => existing().forEach((stream) => stream.abandon()), withinMs)
        retired = () => {
          if (existing().length > 0) return
          clearTimeout(force)
          resolve()
        }
        for (const stream of existing()) stream.retire()
        retired()
      })
    },
  }
}
