import { randomFillSync } from 'node:crypto'

const random = Buffer.alloc(8_000)
let used = random.length
let lastMs = 0
let counter = 0

/**
 * A UUIDv7 (RFC 9562 section 5.7, method 1): 48 bits of milliseconds, then a 12-bit counter that keeps the ids of one
 * process in order within a millisecond, then 62 random bits.
 */
export function newId(): string {
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    counter = 0
  } else if (++counter > 0xfff) {
    lastMs += 1
    counter = 0
  }
  if (used + 8 > random.length) {
    randomFillSync(random)
    used = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const tail = random.subarray(used, used + 8)
  used += 8
  const variant = ((tail[0]! & 0x3f) | 0x80).toString(16)
  const rest = tail.toString('hex', 1, 8)
  const sequence = counter.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${variant}${rest.slice(0, 2)}-${rest.slice(2)}`
}
