import { expect, test } from '@jest/globals'
import { layoutOf } from './layout.ts'

const node = (key: string) => ({ key, type: 'end' as const, config: {} })
const edge = (from: string, to: string) => ({ from, to, branch: 'default' })
const trigger = { type: 'manual' as const, config: {} }

test('a node is below every node that leads to it', () => {
  const places = layoutOf({
    trigger,
    start_node: 'a',
    nodes: [node('a'), node('b'), node('c'), node('d')],
    edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('a', 'd')],
  })
  const of = (key: string) => places.find((place) => place.key === key)!
  expect(of('a').y).toBeLessThan(of('b').y)
  expect(of('b').y).toBe(of('c').y)
  expect(of('b').x).not.toBe(of('c').x)
  expect(of('d').y).toBeGreaterThan(of('b').y)
})

test('a cycle and a node that nothing leads to get a place, too', () => {
  const places = layoutOf({
    trigger,
    start_node: 'a',
    nodes: [node('a'), node('b'), node('alone')],
    edges: [edge('a', 'b'), edge('b', 'a')],
  })
  expect(places).toHaveLength(3)
})

test('a node behind a condition stands aside', () => {
  const places = layoutOf({
    trigger,
    start_node: 'a',
    nodes: [node('a'), node('some'), node('all')],
    edges: [
      { ...edge('a', 'some'), condition: { tag: 'vip', operator: 'exists' } },
      edge('a', 'all'),
      edge('some', 'all'),
    ],
  })
  const of = (key: string) => places.find((place) => place.key === key)!
  expect(of('some').x).toBeGreaterThan(of('all').x)
  expect(of('all').x).toBe(of('a').x)
})
