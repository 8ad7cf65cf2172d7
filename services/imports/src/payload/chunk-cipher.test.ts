import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { ChunkUnreadable, chunkCipher, newDataKey } from './chunk-cipher.ts'

const owner = { workspace_id: randomUUID(), id: randomUUID() }
const key = newDataKey()
const cipher = chunkCipher(key, owner)
const plain = Buffer.from('email\nada@example.com\n')
const first = { position: 0, isLast: false }
const encrypted = cipher.encrypt(first, plain)

test('a chunk is decrypted at its own place of its own file only', () => {
  expect(cipher.decrypt(first, encrypted)).toEqual(plain)
  expect(encrypted.includes(Buffer.from('ada'))).toBe(false)
  for (const place of [
    { position: 1, isLast: false },
    { position: 0, isLast: true },
  ])
    expect(() => cipher.decrypt(place, encrypted)).toThrow(ChunkUnreadable)
  for (const other of [
    chunkCipher(newDataKey(), owner),
    chunkCipher(key, { ...owner, id: randomUUID() }),
    chunkCipher(key, { ...owner, workspace_id: randomUUID() }),
  ])
    expect(() => other.decrypt(first, encrypted)).toThrow(ChunkUnreadable)
})

test('a chunk with any changed, missing or added byte is not decrypted', () => {
  for (let at = 0; at < encrypted.length; at += 1) {
    const changed = Buffer.from(encrypted)
    changed[at]! ^= 1
    expect(() => cipher.decrypt(first, changed)).toThrow(ChunkUnreadable)
    expect(() => cipher.decrypt(first, encrypted.subarray(0, at))).toThrow(ChunkUnreadable)
  }
  expect(() => cipher.decrypt(first, Buffer.concat([encrypted, Buffer.alloc(1)]))).toThrow(ChunkUnreadable)
})

test('every position encrypts with its own nonce', () => {
  const zeros = Buffer.alloc(64)
  const streams = [0, 1, 255, 256, 65_536].map((position) =>
    cipher.encrypt({ position, isLast: false }, zeros).subarray(0, 64).toString('hex'),
  )
  expect(new Set(streams).size).toBe(streams.length)
})
