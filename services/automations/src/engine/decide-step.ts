import { comparedValues } from '../definition/compared-values.ts'
import { conditionHolds, type ContactFacts } from '../definition/condition-holds.ts'
import type { AutomationNode } from '../definition/definition.ts'
import type { Graph } from '../definition/graph.ts'
import { comparisonsOf } from '../definition/references.ts'
import { dependsOnContact, waitEnd } from '../definition/wait-end.ts'
import type { StepResult } from './step-result.ts'

/** A node that needs no other service than for the facts of the contact. */
export type LocalNode = Extract<AutomationNode, { type: 'wait_duration' | 'wait_until_date' | 'decision' | 'end' }>

export const isLocal = (node: AutomationNode): node is LocalNode =>
  node.type === 'wait_duration' || node.type === 'wait_until_date' || node.type === 'decision' || node.type === 'end'

/** Whether the step at this node needs the facts of the contact. */
export const needsFacts = (node: AutomationNode, waitUntil: Date | null): boolean =>
  node.type === 'decision' || (node.type === 'wait_until_date' && waitUntil === null && dependsOnContact(node))

/** The node after one that has at most one edge. */
export const nextNode = (graph: Graph, { key }: AutomationNode): string | null => graph.edgesFrom(key)[0]?.to ?? null

interface At {
  readonly graph: Graph
  /** the end of the wait, if the contact waits here already */
  readonly waitUntil: Date | null
  readonly now: Date
  /** undefined if the node does not need them */
  readonly facts: ContactFacts | undefined
}

/** What a wait, a decision or an end does with a contact now. */
export function decideStep(node: LocalNode, { graph, waitUntil, now, facts }: At): StepResult {
  const moved = (outcome: string, more: { branch?: string; reasons?: string[] } = {}): StepResult => ({
    kind: 'moved',
    step: { nodeType: node.type, outcome, ...more },
    to: nextNode(graph, node),
  })
  switch (node.type) {
    case 'end':
      return moved('completed')
    case 'decision': {
      const { branch, to, compared } = branchFor(graph, node.key, facts!)
      return { kind: 'moved', step: { nodeType: node.type, outcome: 'decided', branch, compared }, to }
    }
    case 'wait_duration':
    case 'wait_until_date': {
      const until = waitUntil ?? waitEnd(node, now, facts)
      if (until === undefined) return moved('skipped', { reasons: ['date_missing'] })
      return until <= now ? moved('waited') : { kind: 'waits', until }
    }
  }
}

/** The first branch whose condition holds, else the default one, with what the conditions until then looked at. */
function branchFor(graph: Graph, key: string, facts: ContactFacts) {
  const edges = graph.edgesFrom(key)
  const conditional = edges.filter(({ condition }) => condition !== undefined)
  const at = conditional.findIndex(({ condition }) => conditionHolds(condition!, facts, graph.typeOf))
  const chosen = conditional[at] ?? edges.find(({ branch }) => branch === 'default')
  if (!chosen) throw new Error('a decision has no default branch')
  const looked = at < 0 ? conditional : conditional.slice(0, at + 1)
  const comparisons = looked.flatMap(({ condition }) => comparisonsOf(condition!))
  return { branch: chosen.branch, to: chosen.to, compared: comparedValues(comparisons, facts, graph) }
}
