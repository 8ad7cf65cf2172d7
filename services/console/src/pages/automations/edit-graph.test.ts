import { describe, expect, test } from '@jest/globals'
import type { AutomationDefinition } from '@lettergate/client'
import { addBranch, changeConfig, changeEdge, insertNode, removeEdge, removeNode } from './edit-graph.ts'

const definition = {
  trigger: { type: 'manual', config: {}, kept: 1 },
  start_node: 'hello',
  nodes: [
    { key: 'hello', type: 'add_tag', config: { tag: 'new', kept: 2 }, kept: 3 },
    { key: 'keen', type: 'decision', config: {} },
    { key: 'end', type: 'end', config: {} },
  ],
  edges: [
    { from: 'hello', to: 'keen', branch: 'default', kept: 4 },
    { from: 'keen', to: 'hello', branch: 'again', condition: { tag: 'vip', operator: 'exists' } },
    { from: 'keen', to: 'end', branch: 'default' },
  ],
  kept: 5,
} as AutomationDefinition

const ways = ({ edges }: AutomationDefinition) => edges.map(({ from, to, branch }) => `${from} ${to} ${branch}`)
const wait = { type: 'wait_duration', config: { seconds: 60 } } as const

describe('an edit of a graph', () => {
  test('inserts a node on an edge, and keeps where it led', () => {
    const { definition: edited, key } = insertNode(definition, { edge: 0 }, wait)
    expect(key).toBe('wait')
    expect(edited.nodes.at(-1)).toEqual({ key: 'wait', ...wait })
    expect(ways(edited)).toEqual(['hello wait default', 'keen hello again', 'keen end default', 'wait keen default'])
    expect(insertNode(edited, { edge: 0 }, wait).key).toBe('wait-2')
  })

  test('inserts a node before the start, and after a node that leads nowhere', () => {
    const first = insertNode(definition, 'start', wait).definition
    expect([first.start_node, ways(first).at(-1)]).toEqual(['wait', 'wait hello default'])
    const last = insertNode(definition, { after: 'end' }, wait).definition
    expect(ways(last).at(-1)).toBe('end wait default')
  })

  test('inserts an end, which leads nowhere', () => {
    const { definition: edited, key } = insertNode(definition, { edge: 1 }, { type: 'end', config: {} })
    expect(key).toBe('end-2')
    expect(ways(edited)).toEqual(['hello keen default', 'keen end-2 again', 'keen end default'])
  })

  test('removes a node, and leads around it', () => {
    expect(ways(removeNode(definition, 'hello'))).toEqual(['keen keen again', 'keen end default'])
    expect(removeNode(definition, 'hello').start_node).toBe('keen')
    expect(ways(removeNode(definition, 'keen'))).toEqual(['hello end default'])
    expect(ways(removeNode(definition, 'end'))).toEqual(['hello keen default', 'keen hello again'])
  })

  test('leads around a removed decision by the branch without a condition, whatever another one is called', () => {
    const [hello, again, otherwise] = definition.edges
    const renamed = { ...definition, edges: [hello!, { ...again!, branch: 'default' }, otherwise!] }
    expect(ways(removeNode(renamed, 'keen'))).toEqual(['hello end default'])
  })

  test('removes the start that leads nowhere', () => {
    const lonely = { ...definition, edges: [] }
    expect(removeNode(lonely, 'hello').start_node).toBe('keen')
    expect(removeNode({ ...lonely, nodes: [lonely.nodes[0]!] }, 'hello').start_node).toBe('')
  })

  test('adds, changes and removes branches', () => {
    const added = addBranch(definition, 'keen', 'end')
    expect(added.edges.at(-1)).toEqual({ from: 'keen', to: 'end', branch: 'branch' })
    expect(addBranch(added, 'keen', 'end').edges.at(-1)!.branch).toBe('branch-2')
    expect(addBranch(removeEdge(definition, 2), 'keen', 'end').edges.at(-1)!.branch).toBe('default')
    expect(ways(changeEdge(definition, 1, { to: 'end' }))).toContain('keen end again')
    expect(changeEdge(definition, 1, { to: 'end' }).edges[1]!.condition).toEqual(definition.edges[1]!.condition)
  })

  test('keeps every field that it does not know', () => {
    const edited = changeEdge(changeConfig(definition, 'keen', { sure: true }), 1, { branch: 'more' })
    expect(edited).toMatchObject({ trigger: { kept: 1 }, kept: 5 })
    expect(edited.nodes[0]).toEqual(definition.nodes[0])
    expect(edited.nodes[1]!.config).toEqual({ sure: true })
    expect(edited.edges[0]).toEqual(definition.edges[0])
    expect(insertNode(definition, { edge: 0 }, wait).definition.edges[0]).toMatchObject({ to: 'wait', kept: 4 })
    expect(removeNode(definition, 'keen').edges[0]).toMatchObject({ to: 'end', kept: 4 })
  })
})
