import { expect, test } from '@jest/globals'
import { graphOf } from '../definition/graph.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { neededFields, neededTagIds } from './needed-fields.ts'

const { definition, problems } = readDefinition({
  trigger: { type: 'manual', config: {} },
  start_node: 'which',
  nodes: [
    { key: 'which', type: 'decision', config: {} },
    { key: 'date', type: 'wait_until_date', config: { field: 'custom.renewal' } },
    { key: 'day', type: 'wait_until_date', config: { at: '2027-03-01T10:00:00Z' } },
    { key: 'end', type: 'end', config: {} },
  ],
  edges: [
    {
      from: 'which',
      to: 'date',
      branch: 'some',
      condition: {
        any: [
          { field: 'first_name', operator: 'exists' },
          { not: { all: [{ field: 'custom.plan', operator: 'equals', value: 'paid' }] } },
          { tag: 'vip', operator: 'exists' },
          { tag: '0199A3C4-52AA-7A33-9651-FFA73CCB6D5A', operator: 'exists' },
        ],
      },
    },
    { from: 'which', to: 'end', branch: 'default' },
    { from: 'date', to: 'day', branch: 'default' },
    { from: 'day', to: 'end', branch: 'default' },
  ],
})

test.each([
  [['which'], ['timezone', 'first_name', 'custom.plan']],
  [['date'], ['timezone', 'custom.renewal']],
  [
    ['date', 'which', 'date'],
    ['timezone', 'custom.renewal', 'first_name', 'custom.plan'],
  ],
  [['day', 'end'], ['timezone']],
  [[], ['timezone']],
])('the nodes %j need the fields %j and no others', (keys, expected) => {
  expect(problems).toEqual([])
  const graph = graphOf(definition!)
  expect(neededFields(keys.map((key) => ({ graph, node: graph.nodeOf(key)! })))).toEqual(expected)
})

test.each([
  [['which'], ['0199a3c4-52aa-7a33-9651-ffa73ccb6d5a']],
  [['which', 'which'], ['0199a3c4-52aa-7a33-9651-ffa73ccb6d5a']],
  [['date', 'day'], []],
])('the decisions among the nodes %j name the tags %j by id', (keys, expected) => {
  const graph = graphOf(definition!)
  expect(neededTagIds(keys.map((key) => ({ graph, node: graph.nodeOf(key)! })))).toEqual(expected)
})
