import { oneLine } from './config-reader.ts'
import type { AutomationNode, Definition, AutomationEdge } from './definition.ts'

/** Errors refuse a definition; warnings name what is possible and probably not meant. Both are sentences. */
export interface Structure {
  readonly errors: string[]
  readonly warnings: string[]
}

const quoted = (key: string) => JSON.stringify(oneLine(key))
const enrolling = new Set(['audience_subscribed', 'tag_added', 'tag_removed'])

/** Checks the graph: keys, start, edges, branches, cycles, and nodes that nobody reaches. */
export function checkStructure(definition: Definition): Structure {
  const { nodes, edges, startNode } = definition
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const errors = [
    ...duplicates(nodes.map(({ key }) => key)).map((key) => `Two nodes have the key ${quoted(key)}. Keys must differ.`),
    ...(byKey.has(startNode) ? [] : [`start_node ${quoted(startNode)} is not the key of a node.`]),
    ...edges.flatMap(({ from, to }) =>
      [from, to]
        .filter((key) => !byKey.has(key))
        .map((key) => `The edge from ${quoted(from)} to ${quoted(to)} names ${quoted(key)}, which is not a node.`),
    ),
  ]
  // The rest follows edges, so it needs a graph.
  if (errors.length > 0) return { errors, warnings: [] }
  const out = edgesByNode(edges)
  return {
    errors: [...nodes.flatMap((node) => branchErrors(node, out.get(node.key) ?? [])), ...cycleErrors(nodes, out)],
    warnings: [
      ...triggerWarnings(definition),
      ...unreachable(definition, out).map(
        (key) => `No path leads to the node ${quoted(key)}, so nobody arrives at it.`,
      ),
      ...nodes
        .filter(({ key, type }) => type !== 'end' && type !== 'decision' && !out.has(key))
        .map(({ key }) => `The path ends at the node ${quoted(key)} without an end node. Contacts complete there.`),
    ],
  }
}

const duplicates = (keys: readonly string[]): string[] => [
  ...new Set(keys.filter((key, index) => keys.indexOf(key) !== index)),
]

export function edgesByNode(edges: readonly AutomationEdge[]): Map<string, AutomationEdge[]> {
  const out = new Map<string, AutomationEdge[]>()
  for (const edge of edges) out.set(edge.from, [...(out.get(edge.from) ?? []), edge])
  return out
}

function branchErrors({ key, type }: AutomationNode, out: readonly AutomationEdge[]): string[] {
  if (type === 'end') return out.length === 0 ? [] : [`The end node ${quoted(key)} must have no outgoing edge.`]
  if (type !== 'decision') {
    return [
      ...(out.length > 1
        ? [`The node ${quoted(key)} has ${out.length} outgoing edges. Only a decision has several.`]
        : []),
      ...(out.some(({ condition }) => condition !== undefined)
        ? [`The edge from ${quoted(key)} has a condition. Only edges from a decision have one.`]
        : []),
    ]
  }
  const conditional = out.filter(({ branch }) => branch !== 'default')
  return [
    ...duplicates(out.map(({ branch }) => branch)).map(
      (branch) => `The decision ${quoted(key)} has two branches ${quoted(branch)}. Branches must differ.`,
    ),
    ...(conditional.length === out.length
      ? [`The decision ${quoted(key)} needs a branch "default", which is taken when no condition holds.`]
      : []),
    ...(out.some(({ branch, condition }) => branch === 'default' && condition !== undefined)
      ? [`The branch "default" of the decision ${quoted(key)} must have no condition.`]
      : []),
    ...conditional
      .filter(({ condition }) => condition === undefined)
      .map(({ branch }) => `The branch ${quoted(branch)} of the decision ${quoted(key)} needs a condition.`),
  ]
}

/** A cycle without a `wait_duration` would never end. A date does not wait a second time. */
function cycleErrors(nodes: readonly AutomationNode[], out: ReadonlyMap<string, readonly AutomationEdge[]>): string[] {
  const instant = new Set(nodes.filter(({ type }) => type !== 'wait_duration').map(({ key }) => key))
  const state = new Map<string, 'open' | 'done'>()
  const errors: string[] = []
  const visit = (key: string): void => {
    state.set(key, 'open')
    for (const { to } of out.get(key) ?? []) {
      if (!instant.has(to)) continue
      if (state.get(to) === 'open')
        errors.push(
          `The edge from ${quoted(key)} to ${quoted(to)} closes a cycle without a wait_duration. Add one to the cycle.`,
        )
      else if (!state.has(to)) visit(to)
    }
    state.set(key, 'done')
  }
  for (const key of instant) if (!state.has(key)) visit(key)
  return errors
}

function unreachable({ nodes, startNode }: Definition, out: ReadonlyMap<string, readonly AutomationEdge[]>): string[] {
  const reached = new Set([startNode])
  for (const key of reached) for (const { to } of out.get(key) ?? []) reached.add(to)
  return nodes.map(({ key }) => key).filter((key) => !reached.has(key))
}

const triggerWarnings = ({ trigger }: Definition): string[] =>
  enrolling.has(trigger.type)
    ? []
    : [
        'This trigger enrols nobody in this release. Only these do: somebody joins an audience, a tag is added, a tag is removed.',
      ]
