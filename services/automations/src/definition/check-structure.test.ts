import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { checkStructure } from './check-structure.ts'
import type { AutomationNode, EdgeCondition, Definition, AutomationEdge } from './definition.ts'

const condition: EdgeCondition = { subject: { tag: 'vip' }, operator: 'exists', value: null }
const wait = (key: string): AutomationNode => ({ key, type: 'wait_duration', seconds: 60 })
const tag = (key: string): AutomationNode => ({ key, type: 'add_tag', tag: 'a' })
const decision = (key: string): AutomationNode => ({ key, type: 'decision' })
const end = (key = 'end'): AutomationNode => ({ key, type: 'end' })
const edge = (from: string, to: string, branch = 'default', asks?: EdgeCondition): AutomationEdge => ({
  from,
  to,
  branch,
  condition: asks,
})

const graph = (nodes: AutomationNode[], edges: AutomationEdge[], startNode = nodes[0]!.key): Definition => ({
  trigger: { type: 'tag_added', tag: 'a' },
  startNode,
  nodes,
  edges,
})
const check = (nodes: AutomationNode[], edges: AutomationEdge[], start?: string) =>
  checkStructure(graph(nodes, edges, start))

test('a sequence and a decision with a default branch have neither errors nor warnings', () => {
  expect(check([wait('a'), end()], [edge('a', 'end')])).toEqual({ errors: [], warnings: [] })
  expect(
    check([decision('a'), tag('b'), end()], [edge('a', 'b', 'vip', condition), edge('a', 'end'), edge('b', 'end')]),
  ).toEqual({ errors: [], warnings: [] })
})

test.each<[string, AutomationNode[], AutomationEdge[], string?]>([
  ['Two nodes have the key "a"', [wait('a'), tag('a')], []],
  ['start_node "b" is not the key of a node', [end('a')], [], 'b'],
  ['names "b", which is not a node', [wait('a')], [edge('a', 'b')]],
  ['The end node "end" must have no outgoing edge', [end(), wait('a')], [edge('end', 'a')]],
  ['Only a decision has several', [wait('a'), end('b'), end('c')], [edge('a', 'b'), edge('a', 'c', 'other')]],
  ['Only edges from a decision have one', [wait('a'), end()], [edge('a', 'end', 'default', condition)]],
  ['needs a branch "default"', [decision('a'), end()], [edge('a', 'end', 'vip', condition)]],
  ['needs a branch "default"', [decision('a')], []],
  [
    'two branches "vip"',
    [decision('a'), end()],
    [edge('a', 'end', 'vip', condition), edge('a', 'end', 'vip', condition), edge('a', 'end')],
  ],
  [
    'The branch "default" of the decision "a" must have no condition',
    [decision('a'), end()],
    [edge('a', 'end', 'default', condition)],
  ],
  [
    'The branch "vip" of the decision "a" needs a condition',
    [decision('a'), end()],
    [edge('a', 'end'), edge('a', 'end', 'vip')],
  ],
  ['closes a cycle without a wait_duration', [tag('a'), tag('b')], [edge('a', 'b'), edge('b', 'a')]],
  ['closes a cycle without a wait_duration', [tag('a')], [edge('a', 'a')]],
  [
    'closes a cycle without a wait_duration',
    [{ key: 'a', type: 'wait_until_date', until: { at: '2027-01-01T00:00:00Z' } }, tag('b')],
    [edge('a', 'b'), edge('b', 'a')],
  ],
])('refuses: %s', (error, ...given) => {
  expect(check(...given).errors).toEqual(expect.arrayContaining([expect.stringContaining(error)]))
})

test('a cycle through a wait_duration is allowed', () => {
  expect(check([wait('a'), tag('b')], [edge('a', 'b'), edge('b', 'a')]).errors).toEqual([])
})

test('warns of nodes that nobody reaches, of paths without an end, and of triggers that enrol nobody', () => {
  const { errors, warnings } = checkStructure({
    ...graph([wait('a'), end('island')], []),
    trigger: { type: 'api_event', eventName: 'paid' },
  })
  expect(errors).toEqual([])
  expect(warnings).toEqual([
    expect.stringMatching(/^This trigger enrols nobody in this release/),
    expect.stringContaining('No path leads to the node "island"'),
    expect.stringContaining('ends at the node "a" without an end node'),
  ])
})

test('a graph is refused for its cycles exactly when a contact could go round without waiting', () => {
  const anyGraph = fc.integer({ min: 1, max: 7 }).chain((size) =>
    fc.record({
      waits: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
      links: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 12 }),
    }),
  )
  fc.assert(
    fc.property(anyGraph, ({ waits, links }) => {
      // Every node but the waits is a decision, so that it may have several edges.
      const nodes = waits.map((isWait, index) => (isWait ? wait(`${index}`) : decision(`${index}`)))
      const edges = links.map(([from, to], index) => edge(`${from}`, `${to}`, `${index}`, condition))
      const { errors } = check(nodes, edges)
      const instant = links.filter(([, to]) => !waits[to]!).filter(([from]) => !waits[from]!)
      expect(errors.some((error) => error.includes('closes a cycle'))).toBe(hasCycle(waits.length, instant))
    }),
  )
})

/** Whether some node reaches itself, by repeated squaring of the edges. */
function hasCycle(size: number, links: readonly (readonly [number, number])[]): boolean {
  let reach = new Set(links.map(([from, to]) => from * size + to))
  for (let round = 0; round < size; round += 1) {
    const next = new Set(reach)
    for (const one of reach)
      for (const [from, to] of links) if (one % size === from) next.add(Math.floor(one / size) * size + to)
    reach = next
  }
  return [...reach].some((one) => one % size === Math.floor(one / size))
}
