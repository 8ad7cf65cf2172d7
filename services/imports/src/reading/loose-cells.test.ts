import { expect, test } from '@jest/globals'
import { looseCells } from './loose-cells.ts'

test.each<[string, string, string[], string[]?]>([
  ['a quote that is not doubled', 'a@b.test,"Ada "Countess" L",gone', ['a@b.test', 'Ada "Countess" L', 'gone']],
  [
    'a delimiter between wrong quotes',
    'a@b.test,"L, Ada "C"",gone',
    ['a@b.test', 'L, Ada "C', 'gone'],
    ['a@b.test', 'L', 'Ada "C', 'gone'],
  ],
  ['text after the closing quote', '"a@b.test"x,Ada,gone', ['a@b.test"x', 'Ada', 'gone']],
  ['an open quote in the first cell', '"a@b.test,Ada,gone', ['a@b.test', 'Ada', 'gone']],
  ['an open quote in the last cell', 'a@b.test,Ada,"gone', ['a@b.test', 'Ada', 'gone']],
  ['an open quote before a quoted cell', '"a@b.test,Ada,"gone"', ['a@b.test,Ada', 'gone'], ['a@b.test', 'Ada', 'gone']],
  [
    'text after the closing quote and a delimiter in another cell',
    '"a@b.test"x,"L, Ada",gone',
    ['a@b.test"x', 'L, Ada', 'gone'],
    ['a@b.test"x', 'L', 'Ada', 'gone'],
  ],
  ['spaces around quotes', 'a@b.test, "Ada"x ,"gone" ', ['a@b.test', 'Ada"x', 'gone']],
  ['only quotes', '"""', ['']],
  ['nothing', '', ['']],
])('reads the cells of a line with %s', (_, line, quoted, plain = quoted) => {
  expect(looseCells(line, ',')).toEqual({ quoted, plain })
  const tabbed = (cells: string[]) => cells.map((cell) => cell.replaceAll(',', '\t'))
  expect(looseCells(line.replaceAll(',', '\t'), '\t')).toEqual({ quoted: tabbed(quoted), plain: tabbed(plain) })
})

test('a long line of quotes is read in linear time', () => {
  for (const part of ['"', '"a,', '" ', '",', '"a"']) {
    const line = `${part.repeat(100_000)}x`
    expect(looseCells(line, ',').plain).toHaveLength(line.split(',').length)
  }
})
