import { isUuid } from '@lettergate/values/uuid'
import type { AutomationNode, SubjectComparison } from '../definition/definition.ts'
import type { Graph } from '../definition/graph.ts'
import { comparisonsOf } from '../definition/references.ts'

interface Step {
  readonly graph: Graph
  readonly node: AutomationNode
}

/** The fields of a contact that the steps at these nodes read. The time zone is always among them, because an empty list means all. */
export const neededFields = (steps: readonly Step[]): string[] => [
  ...new Set(['timezone', ...steps.flatMap(({ node }) => datesOf(node)), ...subjectsOf(steps).flatMap(fieldOf)]),
]

/** The tags that the decisions at these nodes name by id. They may have been merged since. */
export const neededTagIds = (steps: readonly Step[]): string[] => [
  ...new Set(subjectsOf(steps).flatMap((subject) => ('tag' in subject && isUuid(subject.tag) ? [subject.tag] : []))),
]

const datesOf = (node: AutomationNode): string[] =>
  node.type === 'wait_until_date' && 'field' in node.until ? [node.until.field] : []

const fieldOf = (subject: SubjectComparison['subject']): string[] => ('field' in subject ? [subject.field] : [])

/** What the decisions at these nodes compare, each node once. */
function subjectsOf(steps: readonly Step[]): SubjectComparison['subject'][] {
  const edges = steps.flatMap(({ graph, node }) => (node.type === 'decision' ? graph.edgesFrom(node.key) : []))
  return [...new Set(edges)].flatMap(({ condition }) =>
    condition ? comparisonsOf(condition).map(({ subject }) => subject) : [],
  )
}
