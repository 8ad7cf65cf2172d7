import { expect, test } from '@jest/globals'
import { bar, progressOn } from './progress.ts'

test.each([
  [0, 0, 30, '100 %', '0 of 0'],
  [1, 3, 10, ' 33 %', '1 of 3'],
  [2_000, 5_000, 12, ' 40 %', '2,000 of 5,000'],
  [7, 5, 30, '100 %', '7 of 5'],
])('%i of %i has a bar of %i', (done, all, full, share, numbers) => {
  const shown = bar(done, all)
  expect(shown.match(/█/g)?.length ?? 0).toBe(full)
  expect(shown).toContain(share)
  expect(shown).toContain(numbers)
})

test('a line is shown again only when it changed, and in place on a terminal', () => {
  const shown = (isInteractive: boolean) => {
    let text = ''
    const write = (part: string) => void (text += part)
    const progress = progressOn({
      out: write,
      err: write,
      isInteractive,
      ask: () => Promise.resolve(''),
      readAll: () => Promise.resolve(''),
    })
    for (const line of ['one', 'one', 'two']) progress.show(line)
    progress.end()
    return text
  }
  expect(shown(false)).toBe('one\ntwo\n')
  expect(shown(true)).toBe('\r\u001b[2Kone\r\u001b[2Ktwo\n')
})
