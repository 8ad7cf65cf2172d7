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
