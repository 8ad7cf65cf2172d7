import { describe, expect, test } from '@jest/globals'
import type { AutomationDefinition } from '@lettergate/client'
import { addBranch, changeConfig, changeEdge, insertNode, removeNode } from './edit-graph.ts'
import { problemInWords, problemsByNode, problemsLeft, problemsOf } from './problems.ts'

const definition: AutomationDefinition = {
  trigger: { type: 'manual', config: {} },
  start_node: 'is-vip',
  nodes: [
    { key: 'is-vip', type: 'decision', config: {} },
    { key: 'default', type: 'end', config: {} },
  ],
  edges: [{ from: 'is-vip', to: 'default', branch: 'x' }],
}

test.each([
  ['No path leads to the node "default", so nobody arrives at it.', ['default']],
  ['The branch "x" of the decision "is-vip" needs a condition.', ['is-vip']],
  ['The branch "default" of the decision "is-vip" must have no condition.', ['is-vip']],
  ['The decision "is-vip" has two branches "default". Branches must differ.', ['is-vip']],
  ['The edge from "is-vip" to "default" closes a cycle without a wait_duration.', ['is-vip', 'default']],
  ['definition.nodes[1].config.tag is required.', ['default']],
  ['definition.edges[0].condition.operator must be one of exists, not_exists for tag.', ['is-vip']],
  ['definition.nodes[7] must be an object.', []],
  ['definition.trigger.config.tag is required.', []],
])('%s', (problem, keys) => {
  const found = problemsByNode(definition, [{ text: problem, isWarning: false }])
  expect([...found.keys()]).toEqual(keys)
  for (const key of keys)
    expect(found.get(key)).toEqual([{ text: problemInWords(problem, definition), isWarning: false }])
})

test.each([
  [
    'definition.nodes[1].config.seconds must be a whole number.',
    'The step "default": How long, in seconds, must be a whole number.',
  ],
  ['definition.nodes[0].config.audience_id must be a UUID.', 'The step "is-vip": Audience must be chosen.'],
  ['definition.trigger.config.tag is required.', 'The trigger: Tag is required.'],
  [
    'definition.edges[0].condition.all[1].not.value must be a number.',
    'The branch "x" of the step "is-vip": Value must be a number.',
  ],
  [
    'definition.edges[0].condition must have exactly one of all.',
    'The branch "x" of the step "is-vip": Condition must have exactly one of all.',
  ],
  ['definition.edges must be a list of 0 to 200 items.', 'Edges must be a list of 0 to 200 items.'],
  [
    'No path leads to the node "default", so nobody arrives at it.',
    'No path leads to the node "default", so nobody arrives at it.',
  ],
])('%s is said as “%s”', (problem, words) => {
  expect(problemInWords(problem, definition)).toBe(words)
})

const leftOf = (stored: AutomationDefinition, ...texts: string[]) => {
  const problems = problemsOf({ structural_errors: texts, warnings: [] })
  return (edited: AutomationDefinition) => problemsLeft({ definition: stored, problems }, edited)
}
const textsLeft = (stored: AutomationDefinition, ...texts: string[]) => {
  const left = leftOf(stored, ...texts)
  return (edited: AutomationDefinition) => left(edited).problems.map(({ text }) => text)
}

test('a problem is left until a node that it names is changed or removed', () => {
  const missing = 'The step "is-vip": Config is required.'
  const unreachable = 'No path leads to the node "default", so nobody arrives at it.'
  const left = textsLeft(definition, 'definition.nodes[0].config is required.', unreachable)
  expect(left(definition)).toEqual([missing, unreachable])
  expect(left({ ...definition, trigger: { type: 'manual', config: { a: 1 } } })).toEqual([missing, unreachable])
  expect(left(changeConfig(definition, 'is-vip', { a: 1 }))).toEqual([unreachable])
  expect(left(changeConfig(definition, 'default', { a: 1 }))).toEqual([missing])
  expect(left(removeNode(definition, 'default'))).toEqual([missing])
  const { byNode } = leftOf(
    definition,
    'definition.nodes[0].config is required.',
  )(changeConfig(definition, 'is-vip', { a: 1 }))
  expect([...byNode]).toEqual([])
})

test('a problem of the trigger is left until the trigger is changed', () => {
  const texts = ['definition.trigger.config.tag is required.', 'This trigger enrols nobody in this release.']
  const left = textsLeft(definition, ...texts)
  const inWords = ['The trigger: Tag is required.', 'This trigger enrols nobody in this release.']
  expect(left(changeConfig(definition, 'is-vip', { a: 1 }))).toEqual(inWords)
  expect(left({ ...definition, trigger: { type: 'manual', config: {} } })).toEqual([])
})

describe('a problem of a node goes with an edge of it', () => {
  const spare = { ...definition, nodes: [...definition.nodes, { key: 'spare', type: 'add_tag', config: {} } as const] }
  const unreachable = 'No path leads to the node "spare", so nobody arrives at it.'
  const ends = 'The path ends at the node "spare" without an end node. Contacts complete there.'
  const condition = 'The branch "x" of the decision "is-vip" needs a condition.'
  const left = textsLeft(spare, unreachable, ends, condition)

  test('that leads to it now', () => {
    expect(left(addBranch(spare, 'is-vip', 'spare'))).toEqual([])
    const led = { ...spare, edges: [...spare.edges, { from: 'default', to: 'spare', branch: 'default' }] }
    expect(left(led)).toEqual([condition])
  })

  test('that leads from it now', () => {
    const { definition: longer } = insertNode(spare, { after: 'spare' }, { type: 'end', config: {} })
    expect(left(longer)).toEqual([condition])
  })

  test('that was changed or removed', () => {
    expect(left(changeEdge(spare, 0, { branch: 'y' }))).toEqual([unreachable, ends])
    expect(left({ ...spare, edges: [] })).toEqual([unreachable, ends])
  })
})

describe('a problem of a value marks the steps with that value', () => {
  const content = '01a2b3c4-0000-7000-8000-000000000001'
  const valued: AutomationDefinition = {
    ...definition,
    nodes: [
      ...definition.nodes,
      { key: 'mark', type: 'add_tag', config: { tag: 'a "b"' } },
      { key: 'unmark', type: 'remove_tag', config: { tag: 'a "b"' } },
      { key: 'tag-vip', type: 'add_tag', config: { tag: 'mark' } },
      { key: 'set', type: 'update_contact_field', config: { field: 'custom.city', value: 'x' } },
      { key: 'send', type: 'send_email', config: { content_version_id: content } },
    ],
    edges: [
      { from: 'is-vip', to: 'default', branch: 'x', condition: { any: [{ tag: 'london', operator: 'exists' }] } },
    ],
  }

  test.each([
    ['The tag "a \\"b\\"" is not in this workspace.', ['mark', 'unmark']],
    ['The tag "mark" is not in this workspace.', ['tag-vip']],
    ['The tag "london" is not in this workspace.', ['is-vip']],
    ['The tag "other" is not in this workspace.', []],
    ['The custom field "city" is not in this workspace.', ['set']],
    ['custom.city is of the type integer, and a value given for it is not.', ['set']],
    [`The content version "${content}" is not in this workspace.`, ['send']],
    [`The content version ${content} has no unsubscribe link that recipients can see.`, ['send']],
  ])('%s', (text, keys) => {
    expect([...problemsByNode(valued, [{ text, isWarning: false }]).keys()]).toEqual(keys)
  })

  test('until each of them is changed', () => {
    const missing = 'The tag "a \\"b\\"" is not in this workspace.'
    const left = leftOf(valued, missing)
    const once = changeConfig(valued, 'mark', { tag: 'vip' })
    expect([...left(once).byNode.keys()]).toEqual(['unmark'])
    expect(left(once).problems).toHaveLength(1)
    expect(left(removeNode(once, 'unmark')).problems).toEqual([])
    const trigger = { type: 'tag_added', config: { tag: 'a "b"' } } as const
    const ofTrigger = leftOf({ ...valued, trigger }, missing)
    expect(ofTrigger({ ...removeNode(once, 'unmark'), trigger }).problems).toHaveLength(1)
    expect(ofTrigger(removeNode(once, 'unmark')).problems).toEqual([])
  })

  test('and stays if no step has it', () => {
    const missing = 'The tag "other" is not in this workspace.'
    expect(leftOf(valued, missing)(changeConfig(valued, 'mark', {})).problems).toHaveLength(1)
  })
})
