import type { Person } from './add-people.ts'
import { eachOf } from './api.ts'
import { messageTo } from './inbox.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

/** Reads what arrived: who chose a topic finds it in their letter, everybody else what the letter says instead. */
export async function readLetters(
  { stack, tell }: Scene,
  interested: readonly Person[],
  others: readonly Person[],
  topic: string,
): Promise<Row[]> {
  const countOf = async (people: readonly Person[], words: string) => {
    let found = 0
    await eachOf(people, 16, async (person) => {
      if ((await messageTo(stack, person.normalizedEmail)).html.includes(words)) found += 1
    })
    return found
  }
  const own = `Your topic: ${topic}.`
  tell(`the letter of somebody who chose it says “${own}”, that of anybody else “Your topic: everything.”`)
  return [
    {
      name: 'letters with the topic that was chosen',
      actual: await countOf(interested, own),
      expected: interested.length,
    },
    {
      name: 'letters without one',
      actual: await countOf(others, 'Your topic: everything.'),
      expected: others.length,
    },
  ]
}
