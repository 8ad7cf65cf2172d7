import type { AutomationDefinition } from '@lettergate/client'

export interface PlacedNode {
  key: string
  x: number
  y: number
}

const width = 240
const height = 130

/** A place for each node: below every node that leads to it, and beside the others of its row. */
export function layoutOf({ start_node, nodes, edges }: AutomationDefinition): PlacedNode[] {
  const rows = new Map<string, number>([[start_node, 0]])
  // A graph without cycles is settled after as many rounds as it has nodes; more rounds would follow a cycle for ever.
  for (let round = 0; round < nodes.length; round += 1)
    for (const { from, to } of edges) {
      const row = rows.get(from)
      if (row !== undefined && row + 1 > (rows.get(to) ?? 0) && row < nodes.length) rows.set(to, row + 1)
    }
  const last = Math.max(...rows.values()) + 1
  const byRow = Map.groupBy(nodes, ({ key }) => rows.get(key) ?? last)
  return [...byRow].flatMap(([row, beside]) =>
    beside.map(({ key }, index) => ({
      key,
      x: (index - (beside.length - 1) / 2 + (isSideStep(key, edges) ? 0.75 : 0)) * width,
      y: row * height,
    })),
  )
}

/** A node that only some contacts reach stands aside, so that the way of the others stays visible. */
const isSideStep = (key: string, edges: AutomationDefinition['edges']): boolean => {
  const into = edges.filter(({ to }) => to === key)
  return into.length > 0 && into.every(({ condition }) => condition !== undefined)
}
