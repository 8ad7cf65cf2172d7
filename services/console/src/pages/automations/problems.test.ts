import { expect, test } from '@jest/globals'
import type { AutomationDefinition } from '@lettergate/client'
import { changeConfig, removeNode } from './edit-graph.ts'
import { problemsByNode, problemsLeft } from './problems.ts'

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
  ['The edge from "is-vip" to "default" closes a cycle without a wait_duration.', ['is-vip', 'default']],
  ['definition.nodes[1].config.tag is required.', ['default']],
  ['definition.edges[0].condition.operator must be one of exists, not_exists for tag.', ['is-vip']],
  ['definition.nodes[7] must be an object.', []],
  ['definition.trigger.config.tag is required.', []],
])('%s', (problem, keys) => {
  const found = problemsByNode(definition, [{ text: problem, isWarning: false }])
  expect([...found.keys()]).toEqual(keys)
  for (const key of keys) expect(found.get(key)).toEqual([{ text: problem, isWarning: false }])
})

test('a problem of the stored version is left until a node that it names is changed or removed', () => {
  const unreachable = 'No path leads to the node "default", so nobody arrives at it.'
  const missing = 'definition.nodes[0].config is required.'
  const stored = {
    definition,
    validation: { structural_errors: [missing], warnings: [unreachable], dependencies: {} },
  } as unknown as Parameters<typeof problemsLeft>[0]
  const left = (edited: AutomationDefinition) => problemsLeft(stored, edited).problems.map(({ text }) => text)
  expect(left(definition)).toEqual([missing, unreachable])
  expect(left({ ...definition, trigger: { type: 'manual', config: { a: 1 } } })).toEqual([missing, unreachable])
  expect(left(changeConfig(definition, 'is-vip', { a: 1 }))).toEqual([unreachable])
  expect(left(removeNode(definition, 'default'))).toEqual([missing])
  expect(problemsLeft(stored, changeConfig(definition, 'is-vip', { a: 1 })).byNode.get('is-vip')).toEqual([])
})
