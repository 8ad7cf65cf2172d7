import type { Person } from './add-people.ts'
import { eachOf } from './api.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

const field = { field_key: 'topic', label: 'Favourite topic', field_type: 'single_choice' }

/** Defines a custom field of the workspace. Its type cannot change, an invalid value is refused, and the campaign uses it. */
export async function defineField(
  { api, workspace, print }: Scene,
  interested: readonly Person[],
  topic: string,
): Promise<ReportRow[]> {
  const define = (more: object) => api.call('POST', `${workspace}/contact-field-definitions`, { ...field, ...more })
  const versionOf = (answer: { json: Record<string, unknown> }) =>
    (answer.json['field_definition'] as { version: number }).version
  const first = await define({ options: ['search', topic] })
  const second = await define({ options: ['search', topic, 'notifications'] })
  const otherType = await define({ field_type: 'integer' })
  print(`topic is defined as a single choice; changing it to a number is refused: “${otherType.text}”`)

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
  print(`${chosen} people chose ${topic}; the value “sports” is refused: “${wrong.text}”`)
  const isClear = wrong.text.includes('topic must be one of its options')
  return [
    { name: 'a new option makes a new version', actual: versionOf(second) - versionOf(first), expected: 1 },
    { name: 'another type for the same field', actual: otherType.status, expected: 409 },
    { name: 'people with a value', actual: chosen, expected: interested.length },
    { name: 'an invalid value', actual: wrong.status, expected: 422 },
    { name: 'and the answer names the valid values', actual: isClear, expected: true },
  ]
}
