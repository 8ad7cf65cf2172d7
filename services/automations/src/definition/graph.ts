import type { Em } from '@lettergate/database'
import { edgesByNode } from './check-structure.ts'
import type { AutomationEdge, AutomationNode, Definition } from './definition.ts'

/** A definition prepared for running it. */
export interface Graph {
  readonly startNode: string
  /** the audience that each `add_audience` joins, by the key of the node */
  readonly joins: ReadonlyMap<string, string>
  nodeOf(key: string): AutomationNode | undefined
  /** in the order of the definition */
  edgesFrom(key: string): readonly AutomationEdge[]
}

/** The graphs of versions by id. Throws if a version does not exist. */
export type VersionGraphs = (em: Em, workspaceId: string, versionIds: readonly string[]) => Promise<Map<string, Graph>>

export function graphOf({ startNode, nodes, edges }: Definition): Graph {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const out = edgesByNode(edges)
  const joins = new Map(nodes.flatMap((node) => (node.type === 'add_audience' ? [[node.key, node.audienceId]] : [])))
  return { startNode, joins, nodeOf: (key) => byKey.get(key), edgesFrom: (key) => out.get(key) ?? [] }
}
