import { expect, test } from '@jest/globals'
import { openTextCheck, requireText } from './text-check.ts'

const halves = (bytes: Buffer) => [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]
function checked(bytes: Buffer) {
  const check = openTextCheck()
  for (const half of halves(bytes)) check.next(half)
  return check
}
async function* stream(bytes: Buffer) {
  yield* halves(bytes)
}
const refusal = (reason: string) => expect.objectContaining({ code: 'invalid_argument', reason })
const mark = Buffer.from([0xff, 0xfe])

test('a file is checked while it arrives, with the encoding of its byte order mark or with UTF-8', () => {
  expect(checked(Buffer.from('name\nÄpfel\n')).isChecked('utf-8')).toBe(true)
  expect(checked(Buffer.concat([mark, Buffer.from('name\nÄpfel\n', 'utf16le')])).isChecked('utf-16le')).toBe(true)
})

test.each([
  ['bytes of another encoding', Buffer.from(`name\n${'x'.repeat(100)}Äpfel\n`, 'latin1'), 'file_encoding'],
  ['half a character at the end', Buffer.from('name\nÄpfelÄ').subarray(0, -1), 'file_encoding'],
  ['a NUL far from the beginning', Buffer.from(`name\n${'x'.repeat(100)}\u0000\n`), 'file_type'],
])('%s are refused wherever they stand', async (_, bytes, reason) => {
  expect(() => checked(bytes).isChecked('utf-8')).toThrow(refusal(reason))
  await expect(requireText(stream(bytes), 'utf-8')).rejects.toEqual(refusal(reason))
})

test('what is no UTF-8 can be text of the declared encoding, and is then read again', async () => {
  const bytes = Buffer.from('name\nÄpfel\n', 'latin1')
  expect(checked(bytes).isChecked('windows-1252')).toBe(false)
  await expect(requireText(stream(bytes), 'windows-1252')).resolves.toBeUndefined()
  const utf16 = Buffer.from('name\nÄpfel\n', 'utf16le')
  expect(checked(utf16).isChecked('utf-16le')).toBe(false)
  await expect(requireText(stream(utf16), 'utf-16le')).resolves.toBeUndefined()
  await expect(requireText(stream(utf16.subarray(0, -1)), 'utf-16le')).rejects.toEqual(refusal('file_encoding'))
})

test('a file in UTF-32 was checked with nothing', () => {
  const check = checked(Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]))
  expect(check.isChecked('utf-8')).toBe(false)
  expect(check.head()).toHaveLength(8)
})
