import { describe, expect, test } from '@jest/globals'
import type { AutomationDefinition } from '@lettergate/client'
import fc from 'fast-check'
import { addBranch, changeEdge, insertNode, removeEdge, removeNode } from './edit-graph.ts'
import { layoutOf, type Box } from './layout.ts'

const node = (key: string) => ({ key, type: 'end' as const, config: {} })
const edge = (from: string, to: string) => ({ from, to, branch: 'default' })
const trigger = { type: 'manual' as const, config: {} }
const isVip = { tag: 'vip', operator: 'exists' }

const meets = (one: Box, other: Box) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

/** The pairs of steps and labels of which one lies on the other. */
const covered = (definition: AutomationDefinition) => {
  const { steps, labels } = layoutOf(definition)
  const boxes: Box[] = [...steps, ...labels]
  return boxes.flatMap((one, index) => boxes.slice(index + 1).filter((other) => meets(one, other)))
}

const placesOf = (definition: AutomationDefinition) => {
  const { steps } = layoutOf(definition)
  return (key: string) => steps.find((step) => step.key === key)!
}

test('a node is below every node that leads to it', () => {
  const of = placesOf({
    trigger,
    start_node: 'a',
    nodes: [node('a'), node('b'), node('c'), node('d')],
    edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('a', 'd')],
  })
  expect(of('a').y).toBeLessThan(of('b').y)
  expect(of('b').y).toBe(of('c').y)
  expect(of('b').x).not.toBe(of('c').x)
  expect(of('d').y).toBeGreaterThan(of('b').y)
})

test('a cycle and nodes that nothing leads to get a place, too', () => {
  const definition = {
    trigger,
    start_node: 'a',
    nodes: [node('a'), node('b'), node('alone'), node('after')],
    edges: [edge('a', 'b'), edge('b', 'a'), edge('alone', 'after')],
  }
  const of = placesOf(definition)
  const rows = ['a', 'b', 'alone', 'after'].map((key) => of(key).y)
  expect(rows).toEqual([...new Set(rows)].sort((one, other) => one - other))
  expect(layoutOf(definition).lines.map(({ upAt }) => upAt !== undefined)).toEqual([false, true, false])
})

test('a node behind a condition stands aside', () => {
  const of = placesOf({
    trigger,
    start_node: 'a',
    nodes: [node('a'), node('some'), node('all')],
    edges: [{ ...edge('a', 'some'), condition: isVip }, edge('a', 'all'), edge('some', 'all')],
  })
  expect(of('some').x).toBeGreaterThan(of('all').x)
  expect(of('all').x).toBe(of('a').x)
})

describe('no step and no label lies on another one', () => {
  test.each([1, 2, 3])('below a decision with %i conditional branches', (count) => {
    const some = Array.from({ length: count }, (_, index) => `some-${index}`)
    const definition = {
      trigger,
      start_node: 'a',
      nodes: ['a', ...some, 'others', 'end'].map(node),
      edges: [
        ...some.map((to) => ({ ...edge('a', to), branch: to, condition: isVip })),
        edge('a', 'others'),
        ...[...some, 'others'].map((from) => edge(from, 'end')),
      ],
    }
    const of = placesOf(definition)
    expect(of(some[0]!).y).toBe(of('others').y)
    expect(covered(definition)).toEqual([])
  })

  test('in any graph that the editor makes', () => {
    const created: AutomationDefinition = { trigger, start_node: 'end', nodes: [node('end')], edges: [] }
    const edits = fc.array(
      fc.record({
        what: fc.constantFrom(
          'start',
          'insert',
          'insert',
          'after',
          'decide',
          'branch',
          'branch',
          'lead',
          'cut',
          'remove',
        ),
        one: fc.nat(),
        other: fc.nat(),
        tag: fc.string({ maxLength: 40 }),
      }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(edits, (given) => {
        const definition = given.reduce((before, { what, one, other, tag }) => {
          const { nodes, edges } = before
          const [from, to] = [nodes[one % nodes.length]!, nodes[other % nodes.length]!]
          const index = one % edges.length
          if (what === 'start' || (edges.length === 0 && what !== 'remove'))
            return insertNode(before, 'start', { type: 'decision', config: {} }).definition
          if (what === 'insert')
            return insertNode(before, { edge: index }, { type: 'add_tag', config: { tag } }).definition
          if (what === 'decide') return insertNode(before, { edge: index }, { type: 'decision', config: {} }).definition
          if (what === 'after' && !edges.some((edge) => edge.from === from.key))
            return insertNode(before, { after: from.key }, { type: 'end', config: {} }).definition
          if (what === 'branch' && from.type === 'decision') {
            const added = addBranch(before, from.key, to.key)
            return changeEdge(added, edges.length, { condition: { tag, operator: 'exists' } })
          }
          if (what === 'lead') return changeEdge(before, index, { to: to.key })
          if (what === 'cut') return removeEdge(before, index)
          if (what === 'remove' && nodes.length > 1) return removeNode(before, from.key)
          return before
        }, created)
        const { steps, labels, lines } = layoutOf(definition)
        expect(steps.map(({ key }) => key)).toEqual(definition.nodes.map(({ key }) => key))
        for (const { x, y } of [...steps, ...labels, ...lines.flatMap(({ points }) => points)])
          expect([x, y].every(Number.isFinite)).toBe(true)
        expect(covered(definition)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
