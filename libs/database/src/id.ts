import { randomFillSync } from 'node:crypto'
import { sql } from 'kysely'

const random = Buffer.alloc(8_000)
let used = random.length
let lastMs = 0
let counter = 0

const digits = Buffer.from('0123456789abcdef')
/** The text of the id that is being built. It has the dashes and the version already. */
const text = Buffer.from('00000000-0000-7000-0000-000000000000')
const timePlaces = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]
/** The positions of the digit pairs after the counter, one pair for each random byte. */
const randomPlaces = [19, 21, 24, 26, 28, 30, 32, 34]

function writeTime(): void {
  const time = lastMs.toString(16).padStart(12, '0')
  for (let n = 0; n < timePlaces.length; n += 1) text[timePlaces[n]!] = time.charCodeAt(n)
}

/**
 * A UUIDv7 (RFC 9562 section 5.7, method 1): 48 bits of milliseconds, then a 12-bit counter that keeps the ids of one
 * process in order within a millisecond, then 62 random bits. It is built in one buffer, because a snapshot of recipients
 * creates a million ids.
 */
export function newId(): string {
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    counter = 0
    writeTime()
  } else if (++counter > 0xfff) {
    lastMs += 1
    counter = 0
    writeTime()
  }
  if (used + 8 > random.length) {
    randomFillSync(random)
    used = 0
  }
  text[15] = digits[counter >> 8]!
  text[16] = digits[(counter >> 4) & 0xf]!
  text[17] = digits[counter & 0xf]!
  for (let n = 0; n < randomPlaces.length; n += 1) {
    const byte = n === 0 ? (random[used]! & 0x3f) | 0x80 : random[used + n]!
    text[randomPlaces[n]!] = digits[byte >> 4]!
    text[randomPlaces[n]! + 1] = digits[byte & 0xf]!
  }
  used += 8
  return text.toString('latin1')
}

/** The smallest UUIDv7 of a time: rows with an id from it on were created then or later. */
export function firstIdOf(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/**
 * A UUIDv7 of the current time as an expression, a new one for each row, for statements that copy rows. Ids of the same
 * millisecond are in no order.
 */
export const newIdInSql = sql<string>`encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
  substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`
