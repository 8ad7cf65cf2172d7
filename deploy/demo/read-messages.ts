import type { Person } from './add-people.ts'
import { eachOf } from './api.ts'
import { messageTo } from './inbox.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

/** Reads the received messages: people who chose a topic find it in their message, the others find the default. */
export async function readMessages(
  { stack, print }: Scene,
  interested: readonly Person[],
  others: readonly Person[],
  topic: string,
): Promise<ReportRow[]> {
  const countOf = async (people: readonly Person[], words: string) => {
    let found = 0
    await eachOf(people, 16, async (person) => {
      if ((await messageTo(stack, person.normalizedEmail)).html.includes(words)) found += 1
    })
    return found
  }
  const own = `Your topic: ${topic}.`
  print(`the message to a person with a topic has “${own}”, other messages have “Your topic: everything.”`)
  return [
    {
      name: 'messages with the chosen topic',
      actual: await countOf(interested, own),
      expected: interested.length,
    },
    {
      name: 'messages with the default',
      actual: await countOf(others, 'Your topic: everything.'),
      expected: others.length,
    },
  ]
}
