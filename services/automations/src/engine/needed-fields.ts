import type { AutomationNode } from '../definition/definition.ts'
import type { Graph } from '../definition/graph.ts'
import { comparisonsOf } from '../definition/references.ts'

/** The fields of a contact that the steps at these nodes read. The time zone is always among them, because an empty list means all. */
export const neededFields = (steps: readonly { graph: Graph; node: AutomationNode }[]): string[] => [
  ...new Set(['timezone', ...steps.flatMap(fieldsOf)]),
]

function fieldsOf({ graph, node }: { graph: Graph; node: AutomationNode }): string[] {
  if (node.type === 'wait_until_date') return 'field' in node.until ? [node.until.field] : []
  if (node.type !== 'decision') return []
  return graph
    .edgesFrom(node.key)
    .flatMap(({ condition }) => (condition ? comparisonsOf(condition) : []))
    .flatMap(({ subject }) => ('field' in subject ? [subject.field] : []))
}
