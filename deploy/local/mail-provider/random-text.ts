import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(65_536)
let used = pool.length

/** Random bytes as text. The system is asked for many at once: asking for each event alone costs more than signing it. */
export function randomText(bytes: number, encoding: 'hex' | 'base64url'): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString(encoding, used - bytes, used)
}
