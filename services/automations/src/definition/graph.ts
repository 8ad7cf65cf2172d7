import type { Em } from '@lettergate/database'
import { typeOfField } from './check-field-types.ts'
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
  /** the registered type of a field, which never changes */
  readonly typeOf: (field: string) => string
  /** the name of a tag, as the definition names it, when the version was made */
  readonly tagName: (named: string) => string
}

/** The graphs of versions by id. Throws if a version does not exist. */
export type VersionGraphs = (em: Em, workspaceId: string, versionIds: readonly string[]) => Promise<Map<string, Graph>>

/** `dependencies` are those of the validation of the version. */
export function graphOf(
  { startNode, nodes, edges }: Definition,
  dependencies: readonly Readonly<Record<string, string>>[] = [],
): Graph {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const out = edgesByNode(edges)
  const joins = new Map(nodes.flatMap((node) => (node.type === 'add_audience' ? [[node.key, node.audienceId]] : [])))
  const valuesOf = (kind: string, key: string, value: string) =>
    new Map(dependencies.filter(({ type }) => type === kind).map((one) => [one[key]!, one[value]!]))
  const types = valuesOf('contact_field', 'key', 'field_type')
  const tagNames = valuesOf('tag', 'id', 'name')
  return {
    startNode,
    joins,
    nodeOf: (key) => byKey.get(key),
    edgesFrom: (key) => out.get(key) ?? [],
    typeOf: (field) => typeOfField(field, types),
    tagName: (named) => tagNames.get(named) ?? named,
  }
}
