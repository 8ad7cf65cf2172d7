import { expect } from '@jest/globals'
import { parseMapping } from '../src/mapping.ts'
import { legacyWorkflow, requireLinked } from '../src/workflows/legacy-workflow.ts'
import { toDefinition } from '../src/workflows/to-definition.ts'

export const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
export const mapping = parseMapping(
  Buffer.from(
    JSON.stringify({
      audiences: { newcomers: id(1), '7': { audience_id: id(2), wording_version: 'v1', source: 'pottery' } },
      senders: { museum: id(3), default: id(4) },
      tags: { member: 'member', welcomed: 'Welcomed', regular: 'regular' },
      fields: { city: 'custom.city' },
    }),
  ),
  'mapping.json',
)
export const surroundings = {
  mapping,
  contentOf: (email: string) => ({ contentVersionId: `content of ${email}` }),
  fieldOf: (legacy: string) => (legacy === 'city' ? 'custom.city' : undefined),
}
export const definitionOf = (workflow: object) =>
  toDefinition(
    requireLinked(legacyWorkflow.parse({ format: 'lettergate.legacy-workflow.v1', ...workflow }), 'w.json'),
    surroundings,
  )

export interface DefinitionGraph {
  start_node: string
  nodes: { key: string; type: string }[]
  edges: { from: string; to: string; branch: string; condition?: object }[]
}

/** What every definition needs, whatever the workflow was. */
export function expectWellFormed({ start_node, nodes, edges }: DefinitionGraph) {
  const types = new Map(nodes.map(({ key, type }) => [key, type]))
  expect(types.size).toBe(nodes.length)
  expect(types.has(start_node)).toBe(true)
  for (const { from, to } of edges) expect([types.has(from), types.has(to)]).toEqual([true, true])
  for (const [key, type] of types) {
    const out = edges.filter(({ from }) => from === key)
    expect(new Set(out.map(({ branch }) => branch)).size).toBe(out.length)
    if (type === 'end') expect(out).toEqual([])
    else expect(out.filter(({ branch }) => branch === 'default')).toHaveLength(1)
    if (type !== 'decision') expect(out.length).toBeLessThanOrEqual(1)
    for (const { branch, condition } of out) expect(condition === undefined).toBe(branch === 'default')
  }
}
