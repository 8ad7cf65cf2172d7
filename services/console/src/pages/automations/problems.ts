import type { AutomationDefinition } from '@lettergate/client'

/** The problems of a definition by the node that they name, in quotes or as a path such as `definition.nodes[2].config`. */
export function problemsByNode(
  { nodes, edges }: AutomationDefinition,
  problems: readonly string[],
): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>()
  for (const problem of problems)
    for (const { key } of nodes) if (keysIn(problem).has(key)) found.set(key, [...(found.get(key) ?? []), problem])
  return found

  function keysIn(problem: string): Set<string | undefined> {
    const quoted = Array.from(problem.matchAll(/"((?:[^"\\]|\\.)*)"/g), (match) => match[1])
    const [, list, index] = /definition\.(nodes|edges)\[(\d+)\]/.exec(problem) ?? []
    const named =
      list === 'nodes' ? nodes[Number(index)]?.key : list === 'edges' ? edges[Number(index)]?.from : undefined
    return new Set([...quoted, named])
  }
}
