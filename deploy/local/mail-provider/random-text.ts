import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(65_536)
let used = pool.length

/** Random bytes as text, generated for many events at once: one call for each event costs more than its signature. */
export function randomText(bytes: number, encoding: 'hex' | 'base64url'): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString(encoding, used - bytes, used)
}
