import { hash, randomBytes } from 'node:crypto'
import { unknownStatus } from '../mapping/import-policy.ts'

/** What a row says about its address, the least restrictive first. The empty status says nothing, `unknown` nobody can interpret. */
export const addressStatuses = ['subscribed', '', 'pending', unknownStatus, 'unsubscribed', 'suppressed'] as const
export type AddressStatus = (typeof addressStatuses)[number]

/**
 * What a row is to its address. `stricter`: a later row that restricts the address more than all rows before it. `restricted`: the
 * first row of an address that an unusable row restricts more.
 */
export type RowPlace = 'first' | 'restricted' | 'duplicate' | 'stricter'

/** Every address of a file, as a keyed hash of 96 bits with its first row and the most restrictive status of its rows. */
export interface AddressTable {
  /** Adds a row. Adding a row again changes nothing. */
  add(address: string, row: number, status: AddressStatus): RowPlace
  /** Lets an unusable row restrict its address. Returns whether the address has a row already and is more restricted now. */
  restrict(address: string, status: AddressStatus): boolean
  /**
   * Ends the table and frees it, after the last row. The result has the status of an address for its first row, and undefined for
   * every other row, in a byte for each row.
   */
  byFirstRow(): (row: number) => AddressStatus | undefined
  /** How many addresses with a row have this status. */
  count(status: AddressStatus): number
  /** How many addresses have a row. */
  readonly size: number
  /** Memory of all entries. At most 30 bytes for an address once there are more than a few thousand. */
  readonly bytes: number
}

const smallest = 1 << 12
const fullest = 0.85
/** In place of the first row of an address that has only unusable rows. */
const noRow = 0xff_ff_ff_ff
/** Less than 2: a large table then wastes less memory, and less is held twice while it grows. */
const growth = 1.5

interface Slots {
  capacity: number
  /** three words of the hash for each slot */
  hashes: Uint32Array
  /** 0: the slot is empty */
  firstRows: Uint32Array
  statuses: Uint8Array
}

const emptySlots = (capacity: number): Slots => ({
  capacity,
  hashes: new Uint32Array(capacity * 3),
  firstRows: new Uint32Array(capacity),
  statuses: new Uint8Array(capacity),
})

const wordAt = (digest: string, at: number) =>
  (digest.charCodeAt(at) |
    (digest.charCodeAt(at + 1) << 8) |
    (digest.charCodeAt(at + 2) << 16) |
    (digest.charCodeAt(at + 3) << 24)) >>>
  0

/** The slot of this hash, or the empty slot where it belongs. */
function slotOf({ capacity, hashes, firstRows }: Slots, one: number, two: number, three: number): number {
  let slot = Math.floor((one * capacity) / 2 ** 32)
  while (
    firstRows[slot] !== 0 &&
    !(hashes[slot * 3] === one && hashes[slot * 3 + 1] === two && hashes[slot * 3 + 2] === three)
  )
    slot = slot + 1 === capacity ? 0 : slot + 1
  return slot
}

function put(slots: Slots, slot: number, entry: readonly [number, number, number, number, number]): void {
  slots.hashes[slot * 3] = entry[0]
  slots.hashes[slot * 3 + 1] = entry[1]
  slots.hashes[slot * 3 + 2] = entry[2]
  slots.firstRows[slot] = entry[3]
  slots.statuses[slot] = entry[4]
}

/** Frees the memory at once. Otherwise it is kept until the old memory is collected, which large buffers hardly cause. */
function free({ hashes, firstRows, statuses }: Slots): void {
  for (const { buffer } of [hashes, firstRows, statuses]) (buffer as ArrayBuffer).transfer(0)
}

/** More slots with the same entries, in place of these. */
function grown(slots: Slots): Slots {
  const { hashes, firstRows, statuses } = slots
  const larger = emptySlots(Math.ceil(firstRows.length * growth))
  for (let from = 0; from < firstRows.length; from += 1) {
    if (firstRows[from] === 0) continue
    const [one, two, three] = [hashes[from * 3]!, hashes[from * 3 + 1]!, hashes[from * 3 + 2]!]
    put(larger, slotOf(larger, one, two, three), [one, two, three, firstRows[from]!, statuses[from]!])
  }
  free(slots)
  return larger
}

/** A table with a key of its own, so that nobody can choose addresses with equal hashes. Open addressing in typed arrays. */
export function addressTable(): AddressTable {
  const key = randomBytes(16).toString('hex')
  let slots = emptySlots(smallest)
  let size = 0
  let used = 0
  const counts = addressStatuses.map(() => 0)

  function find(address: string): { slot: number; one: number; two: number; three: number } {
    const digest = hash('sha256', key + address, 'binary')
    const [one, two, three] = [wordAt(digest, 0), wordAt(digest, 4), wordAt(digest, 8)]
    return { slot: slotOf(slots, one, two, three), one, two, three }
  }

  function insert({ slot, one, two, three }: ReturnType<typeof find>, row: number, code: number): void {
    put(slots, slot, [one, two, three, row, code])
    used += 1
    if (used > slots.firstRows.length * fullest) slots = grown(slots)
  }

  return {
    add(address, row, status) {
      const code = addressStatuses.indexOf(status)
      const found = find(address)
      const { slot } = found
      const known = slots.statuses[slot]!
      if (slots.firstRows[slot] === 0) {
        counts[code]! += 1
        size += 1
        insert(found, row, code)
        return 'first'
      }
      if (slots.firstRows[slot] === noRow) {
        const strictest = Math.max(code, known)
        put(slots, slot, [found.one, found.two, found.three, row, strictest])
        counts[strictest]! += 1
        size += 1
        return strictest === code ? 'first' : 'restricted'
      }
      if (code > known) {
        counts[known]! -= 1
        counts[code]! += 1
        slots.statuses[slot] = code
        return 'stricter'
      }
      return slots.firstRows[slot] === row ? 'first' : 'duplicate'
    },
    restrict(address, status) {
      const code = addressStatuses.indexOf(status)
      const found = find(address)
      const { slot } = found
      if (slots.firstRows[slot] === 0) {
        insert(found, noRow, code)
        return false
      }
      const known = slots.statuses[slot]!
      if (code <= known) return false
      slots.statuses[slot] = code
      if (slots.firstRows[slot] === noRow) return false
      counts[known]! -= 1
      counts[code]! += 1
      return true
    },
    byFirstRow() {
      const { firstRows, statuses } = slots
      const last = firstRows.reduce((most, row) => (row === noRow || row < most ? most : row), 0)
      const codes = new Uint8Array(last + 1)
      for (let slot = 0; slot < firstRows.length; slot += 1) {
        const row = firstRows[slot]!
        if (row !== 0 && row !== noRow) codes[row] = statuses[slot]! + 1
      }
      free(slots)
      return (row) => addressStatuses[(codes[row] ?? 0) - 1]
    },
    count: (status) => counts[addressStatuses.indexOf(status)]!,
    get size() {
      return size
    },
    get bytes() {
      return slots.firstRows.length * 17
    },
  }
}
