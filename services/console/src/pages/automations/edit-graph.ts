import type { AutomationDefinition, AutomationEdge, AutomationNode } from '@lettergate/client'
import { isDefault } from './ways.ts'

/** Where a node is inserted: before the start, on an edge, or after a node that leads nowhere. */
export type InsertionPlace = 'start' | { edge: number } | { after: string }

/** `wait`, and if it is taken `wait-2`, `wait-3`, … */
const freeName = (wanted: string, taken: readonly string[]): string => {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`
    if (!taken.includes(name)) return name
  }
}

const keyByType: Partial<Record<AutomationNode['type'], string>> = { wait_duration: 'wait', wait_until_date: 'wait' }

// Every edit gives a new definition, and keeps all fields that it does not change.

/** Inserts a node, which leads to where its place led before. An end leads nowhere. */
export function insertNode(
  definition: AutomationDefinition,
  place: InsertionPlace,
  { type, config }: Pick<AutomationNode, 'type' | 'config'>,
): { definition: AutomationDefinition; key: string } {
  const key = freeName(
    keyByType[type] ?? type.replaceAll('_', '-'),
    definition.nodes.map((node) => node.key),
  )
  const next =
    place === 'start' ? definition.start_node : 'edge' in place ? definition.edges[place.edge]?.to : undefined
  const edges = definition.edges.map((edge, index) =>
    typeof place === 'object' && 'edge' in place && place.edge === index ? { ...edge, to: key } : edge,
  )
  if (typeof place === 'object' && 'after' in place) edges.push({ from: place.after, to: key, branch: 'default' })
  if (next !== undefined && type !== 'end') edges.push({ from: key, to: next, branch: 'default' })
  return {
    key,
    definition: {
      ...definition,
      start_node: place === 'start' ? key : definition.start_node,
      nodes: [...definition.nodes, { key, type, config }],
      edges,
    },
  }
}

/** Removes a node; what led to it leads to its next node, for a decision to that of the default branch. */
export function removeNode(definition: AutomationDefinition, key: string): AutomationDefinition {
  const out = definition.edges.filter(({ from, to }) => from === key && to !== key)
  const next = (out.find(isDefault) ?? out[0])?.to
  const nodes = definition.nodes.filter((node) => node.key !== key)
  return {
    ...definition,
    start_node: definition.start_node === key ? (next ?? nodes[0]?.key ?? '') : definition.start_node,
    nodes,
    edges: definition.edges
      .filter(({ from, to }) => from !== key && (to !== key || next !== undefined))
      .map((edge) => (edge.to === key ? { ...edge, to: next! } : edge)),
  }
}

export const changeConfig = (
  definition: AutomationDefinition,
  key: string,
  config: AutomationNode['config'],
): AutomationDefinition => ({
  ...definition,
  nodes: definition.nodes.map((node) => (node.key === key ? { ...node, config } : node)),
})

export const changeEdge = (
  definition: AutomationDefinition,
  index: number,
  changed: Partial<AutomationEdge>,
): AutomationDefinition => ({
  ...definition,
  edges: definition.edges.map((edge, at) => (at === index ? { ...edge, ...changed } : edge)),
})

/** Adds a branch to a decision. Its condition must be set afterwards; the first branch is the default one. */
export function addBranch(definition: AutomationDefinition, from: string, to: string): AutomationDefinition {
  const taken = definition.edges.filter((edge) => edge.from === from).map(({ branch }) => branch)
  const branch = taken.includes('default') ? freeName('branch', taken) : 'default'
  return { ...definition, edges: [...definition.edges, { from, to, branch }] }
}

export const removeEdge = (definition: AutomationDefinition, index: number): AutomationDefinition => ({
  ...definition,
  edges: definition.edges.filter((_, at) => at !== index),
})
