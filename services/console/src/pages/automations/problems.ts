import type { AutomationDefinition, AutomationVersion } from '@lettergate/client'

/** What is wrong with a definition. A warning keeps nobody from publishing it. */
export interface GraphProblem {
  text: string
  isWarning: boolean
}

/** What is known to be wrong with a stored version. */
export const problemsOf = ({
  structural_errors: errors,
  warnings,
}: Pick<AutomationVersion['validation'], 'structural_errors' | 'warnings'>): GraphProblem[] => [
  ...errors.map((text) => ({ text, isWarning: false })),
  ...warnings.map((text) => ({ text, isWarning: true })),
]

/**
 * What is known to be wrong with a stored version and may be wrong with what was edited since, and the nodes that it names. A
 * problem is left out when a node that it names was changed or removed.
 */
export function problemsLeft(
  stored: Pick<AutomationVersion, 'definition' | 'validation'>,
  edited: AutomationDefinition,
): { problems: GraphProblem[]; byNode: ReadonlyMap<string, GraphProblem[]> } {
  const all = problemsOf(stored.validation)
  const byNode = problemsByNode(stored.definition, all)
  const kept = new Set(edited.nodes)
  const gone = new Set(
    stored.definition.nodes.filter((node) => !kept.has(node)).flatMap(({ key }) => byNode.get(key) ?? []),
  )
  return {
    problems: all.filter((problem) => !gone.has(problem)),
    byNode: new Map([...byNode].map(([key, problems]) => [key, problems.filter((problem) => !gone.has(problem))])),
  }
}

/** Whether there is nothing worse than warnings. */
export const areWarnings = (problems: readonly GraphProblem[]): boolean => problems.every(({ isWarning }) => isWarning)

export const colorOf = (isWarning: boolean): 'orange' | 'red' => (isWarning ? 'orange' : 'red')

/** The problems of a definition by the node that they name, in quotes or as a path such as `definition.nodes[2].config`. */
export function problemsByNode(
  { nodes, edges }: AutomationDefinition,
  problems: readonly GraphProblem[],
): ReadonlyMap<string, GraphProblem[]> {
  const found = new Map<string, GraphProblem[]>()
  for (const problem of problems)
    for (const { key } of nodes) if (keysIn(problem.text).has(key)) found.set(key, [...(found.get(key) ?? []), problem])
  return found

  function keysIn(problem: string): Set<string | undefined> {
    const quoted = Array.from(problem.matchAll(/"((?:[^"\\]|\\.)*)"/g), (match) => match[1])
    const [, list, index] = /definition\.(nodes|edges)\[(\d+)\]/.exec(problem) ?? []
    const named =
      list === 'nodes' ? nodes[Number(index)]?.key : list === 'edges' ? edges[Number(index)]?.from : undefined
    return new Set([...quoted, named])
  }
}
