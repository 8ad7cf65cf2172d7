import type { Person } from './add-people.ts'
import { eachOf } from './api.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

interface Tag {
  id: string
  name: string
  contact_count: number
}

/** Tags at the console: adds them to contacts, merges a misspelt tag into the right one, and renames that. */
export async function useTags(
  { browser, atConsole, round, print }: Scene,
  readers: readonly Person[],
  misspeltReaders: readonly Person[],
): Promise<{ rows: ReportRow[]; tag: string }> {
  const [right, misspelt, renamed] = [`reader ${round}`, `raeder ${round}`, `faithful reader ${round}`]
  await browser.ok('POST', `${atConsole}/tags`, { name: right })
  const apply = (name: string) => (person: Person) =>
    browser.ok('POST', `${atConsole}/contacts/${person.id}/tags`, { tag: name }).then(() => undefined)
  await eachOf(readers, 16, apply(right))
  await eachOf(misspeltReaders, 16, apply(misspelt))

  const tagNamed = async (name: string) =>
    (await browser.ok<{ tags: Tag[] }>('GET', `${atConsole}/tags`)).tags.find((tag) => tag.name === name)
  const [before, other] = [(await tagNamed(right))!, (await tagNamed(misspelt))!]
  await browser.ok('POST', `${atConsole}/tags/${other.id}/merge`, { into: right })
  await browser.ok('PATCH', `${atConsole}/tags/${before.id}`, { name: renamed })
  const after = await tagNamed(renamed)
  const { contacts } = await browser.ok<{ contacts: unknown[] }>(
    'GET',
    `${atConsole}/contacts?limit=200&tag=${encodeURIComponent(renamed)}`,
  )
  print(`“${misspelt}” merged into “${right}”, which was renamed to “${renamed}”`)
  const both = new Set([...readers, ...misspeltReaders]).size
  const rows = [
    { name: 'people with the tag', actual: before.contact_count, expected: readers.length },
    { name: 'people with the misspelt tag', actual: other.contact_count, expected: misspeltReaders.length },
    { name: 'after the merge, people with both counted once', actual: after?.contact_count, expected: both },
    { name: 'found by the new name', actual: contacts.length, expected: both },
    { name: 'the misspelt tag is gone', actual: (await tagNamed(misspelt)) === undefined, expected: true },
  ]
  return { rows, tag: renamed }
}
