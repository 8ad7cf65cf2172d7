import type { Person } from './add-people.ts'
import { eachOf } from './api.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

interface Tag {
  id: string
  name: string
  contact_count: number
}

/** Tags at the console: put on people, a double cleared up by merging, and one renamed for everybody who carries it. */
export async function useTags(
  { browser, atConsole, round, tell }: Scene,
  readers: readonly Person[],
  doubles: readonly Person[],
): Promise<{ rows: Row[]; tag: string }> {
  const [right, misspelt, renamed] = [`reader ${round}`, `raeder ${round}`, `faithful reader ${round}`]
  await browser.ok('POST', `${atConsole}/tags`, { name: right })
  const apply = (name: string) => (person: Person) =>
    browser.ok('POST', `${atConsole}/contacts/${person.id}/tags`, { tag: name }).then(() => undefined)
  await eachOf(readers, 16, apply(right))
  await eachOf(doubles, 16, apply(misspelt))

  const tagNamed = async (name: string) =>
    (await browser.ok<{ tags: Tag[] }>('GET', `${atConsole}/tags`)).tags.find((tag) => tag.name === name)
  const [before, double] = [(await tagNamed(right))!, (await tagNamed(misspelt))!]
  await browser.ok('POST', `${atConsole}/tags/${double.id}/merge`, { into: right })
  await browser.ok('PATCH', `${atConsole}/tags/${before.id}`, { name: renamed })
  const after = await tagNamed(renamed)
  const { contacts } = await browser.ok<{ contacts: unknown[] }>(
    'GET',
    `${atConsole}/contacts?limit=200&tag=${encodeURIComponent(renamed)}`,
  )
  tell(`“${misspelt}” merged into “${right}”, and that renamed to “${renamed}”: contacts follow in batches`)
  const both = new Set([...readers, ...doubles]).size
  const rows = [
    { name: 'people with the tag', actual: before.contact_count, expected: readers.length },
    { name: 'people with its misspelt double', actual: double.contact_count, expected: doubles.length },
    { name: 'after the merge, who had both counted once', actual: after?.contact_count, expected: both },
    { name: 'found by the new name', actual: contacts.length, expected: both },
    { name: 'the misspelt tag is gone', actual: (await tagNamed(misspelt)) === undefined, expected: true },
  ]
  return { rows, tag: renamed }
}
