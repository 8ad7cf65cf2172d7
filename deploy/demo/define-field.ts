import type { Person } from './add-people.ts'
import { eachOf } from './api.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

const field = { field_key: 'topic', label: 'Favourite topic', field_type: 'single_choice' }

/** A field of the workspace's own. It keeps its type, a value that does not fit is refused, and the letter uses it. */
export async function defineField(
  { api, workspace, tell }: Scene,
  interested: readonly Person[],
  topic: string,
): Promise<Row[]> {
  const define = (more: object) => api.call('POST', `${workspace}/contact-field-definitions`, { ...field, ...more })
  const versionOf = (answer: { json: Record<string, unknown> }) =>
    (answer.json['field_definition'] as { version: number }).version
  const first = await define({ options: ['search', topic] })
  const second = await define({ options: ['search', topic, 'notifications'] })
  const otherType = await define({ field_type: 'integer' })
  tell(`topic is defined as one of a list; as a number it is refused: “${otherType.text}”`)

  const choose = (person: Person, value: string) =>
    api.call('POST', `${workspace}/contacts/upsert`, {
      email: person.email,
      source: 'demo',
      custom_fields: { topic: value },
    })
  let chosen = 0
  await eachOf(interested, 16, async (person) => {
    if ((await choose(person, topic)).status === 200) chosen += 1
  })
  const wrong = await choose(interested[0]!, 'sports')
  tell(`${chosen} people chose ${topic}; somebody's “sports” is refused: “${wrong.text}”`)
  const isClear = wrong.text.includes('topic must be one of its options')
  return [
    { name: 'a new option makes a new version', actual: versionOf(second) - versionOf(first), expected: 1 },
    { name: 'another type for the same field', actual: otherType.status, expected: 409 },
    { name: 'people with a value', actual: chosen, expected: interested.length },
    { name: 'a value that does not fit', actual: wrong.status, expected: 422 },
    { name: 'and the answer says what would', actual: isClear, expected: true },
  ]
}
