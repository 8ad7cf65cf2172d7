/** A page of a list: the rows, which have ids, and the cursor after the last of them. */
export interface ListPage {
  next_cursor: string | null
}

interface Row {
  id: string
}

const listOf = (page: object) => Object.entries(page).find(([, value]) => Array.isArray(value)) as [string, Row[]]

/** The ids of the rows of a page. */
export const idsOf = (page: object): string[] => listOf(page)[1].map(({ id }) => id)

/**
 * Reads a page of a loaded list again, while the pages after it stay as they are. Rows may have come or gone since, so
 * it reads until the first row of a later page, and returns the rows before that one.
 */
export async function readPageAgain<Page extends ListPage>(
  known: readonly Page[],
  index: number,
  first: string | undefined,
  read: (cursor: string | undefined) => Promise<Page>,
): Promise<Page> {
  const before = new Set(idsOf(known[index]!))
  const last = idsOf(known[index]!).at(-1)
  const later = new Set(known.slice(index + 1).flatMap(idsOf))
  let page = await read(first)
  const [name, rows] = listOf(page)
  if (later.size === 0) return page
  for (let all = rows; ;) {
    // A row that moved to the front may be known from a later page, and is not the end of this one.
    const lastKept = all.findLastIndex(({ id }) => before.has(id))
    const next = all.findIndex(({ id }, at) => at > lastKept && later.has(id))
    const end = next < 0 && all.at(-1)?.id === last ? all.length : next
    if (end >= 0) return { ...page, [name]: all.slice(0, end), next_cursor: known[index]!.next_cursor }
    if (page.next_cursor === null) return { ...page, [name]: all }
    page = await read(page.next_cursor)
    all = [...all, ...listOf(page)[1]]
  }
}
