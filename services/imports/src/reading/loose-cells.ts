const quote = '"'

function withoutQuotes(cell: string): string {
  const text = cell.trim()
  let [from, to] = [0, text.length]
  while (from < to && text[from] === quote) from += 1
  while (from < to && text[to - 1] === quote) to -= 1
  return text.slice(from, to)
}

/**
 * A cell that begins with a quote ends with its first quote before a delimiter or the end of the line, or before a cell that begins
 * with a quote. Without one it ends at the next delimiter.
 */
function quotedCells(line: string, delimiter: string): string[] {
  const cells: string[] = []
  const ending = new RegExp(`" *(?=${delimiter}|$)|(?=${delimiter}")`, 'g')
  let hasEndings = true
  let start = 0
  for (;;) {
    let end = -1
    if (hasEndings && line[start] === quote) {
      ending.lastIndex = start + 1
      hasEndings = ending.test(line)
      // Without endings, a line of open quotes would be searched to its end for each of them.
      if (hasEndings) end = ending.lastIndex
    }
    if (end === -1) end = line.indexOf(delimiter, start)
    if (end === -1) end = line.length
    cells.push(line.slice(start, end))
    if (end === line.length) return cells
    start = end + 1
  }
}

/**
 * The cells of a line with wrong quotes, read in two ways: with regard to quotes around cells, and without. Nobody can tell which
 * is right. No cell has quotes around it.
 */
export function looseCells(line: string, delimiter: string): { quoted: string[]; plain: string[] } {
  return {
    quoted: quotedCells(line, delimiter).map(withoutQuotes),
    plain: line.split(delimiter).map(withoutQuotes),
  }
}
