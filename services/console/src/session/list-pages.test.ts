import { describe, expect, test } from '@jest/globals'
import { idsOf, readPageAgain } from './list-pages.ts'

/** A service that lists rows in pages of three. */
function listing(rows: readonly string[]) {
  const cursors: (string | undefined)[] = []
  const read = async (cursor: string | undefined) => {
    cursors.push(cursor)
    const from = cursor === undefined ? 0 : rows.findIndex((row) => row > cursor)
    const items = from < 0 ? [] : rows.slice(from, from + 3)
    const isLast = from < 0 || from + 3 >= rows.length
    return { items: items.map((id) => ({ id })), next_cursor: isLast ? null : items.at(-1)! }
  }
  return { read, cursors }
}

async function loaded(rows: readonly string[]) {
  const { read } = listing(rows)
  const pages = [await read(undefined)]
  for (let last = pages[0]!; last.next_cursor !== null; pages.push(last)) last = await read(last.next_cursor)
  return pages
}

const known = await loaded(['b', 'd', 'f', 'h', 'j', 'l', 'n'])

/** The first page after it was read again, with the cursor of the page after it and the number of requests. */
async function firstPageOf(rows: readonly string[]) {
  const { read, cursors } = listing(rows)
  const page = await readPageAgain(known, 0, undefined, read)
  return [idsOf(page).join(''), page.next_cursor, cursors.length]
}

describe('a page that is read again', () => {
  test('takes one request while the rows are the same', async () => {
    expect(await firstPageOf(['b', 'd', 'f', 'h', 'j', 'l', 'n'])).toEqual(['bdf', 'f', 1])
  })

  test('takes rows that came, and ends before the next page', async () => {
    expect(await firstPageOf(['a', 'b', 'd', 'f', 'h', 'j', 'l', 'n'])).toEqual(['abdf', 'f', 2])
  })

  test('loses rows that went, also the last one of the page', async () => {
    expect(await firstPageOf(['b', 'f', 'h', 'j', 'l', 'n'])).toEqual(['bf', 'f', 1])
    expect(await firstPageOf(['b', 'd', 'h', 'j', 'l', 'n'])).toEqual(['bd', 'f', 1])
  })

  test('ends the list where the service ends it', async () => {
    expect(await firstPageOf(['b', 'd'])).toEqual(['bd', null, 1])
  })

  test('takes a row that moved to its front from a later page', async () => {
    const { read } = listing(['b', 'd', 'f', 'h', 'j', 'l', 'n'])
    const moved = async (cursor: string | undefined) => {
      const page = await read(cursor)
      return cursor === undefined
        ? { ...page, items: [{ id: 'l' }, ...page.items.slice(0, 2)], next_cursor: 'd' }
        : page
    }
    expect(idsOf(await readPageAgain(known, 0, undefined, moved)).join('')).toBe('lbdf')
  })
})
