import { edgesByNode } from './check-structure.ts'
import type { Definition } from './definition.ts'

/** When contacts arrive at a node at the earliest. */
export interface PreviewStep {
  readonly node_key: string
  readonly type: string
  /** the node and the branch from which they come; null at the start */
  readonly from: string | null
  readonly branch: string | null
  /** the durations waited until then, in seconds, on the path with the shortest waits */
  readonly after_seconds: number
  /** whether a wait for a date, whose length is not known, is on that path */
  readonly after_date: boolean
}

/** The reachable nodes in the order in which a contact can arrive at them, each once. */
export function previewSteps({ nodes, edges, startNode }: Definition): PreviewStep[] {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const out = edgesByNode(edges)
  const steps: PreviewStep[] = []
  const done = new Set<string>()
  const open: PreviewStep[] = [stepAt(startNode, { from: null, branch: null, after_seconds: 0, after_date: false })]
  while (open.length > 0) {
    // The list has at most one entry for each edge, so looking for the earliest one is cheap.
    const earliest = Math.min(...open.map(({ after_seconds }) => after_seconds))
    const [step] = open.splice(
      open.findIndex(({ after_seconds }) => after_seconds === earliest),
      1,
    )
    if (!step || done.has(step.node_key)) continue
    done.add(step.node_key)
    steps.push(step)
    const node = byKey.get(step.node_key)!
    const after_seconds = step.after_seconds + (node.type === 'wait_duration' ? node.seconds : 0)
    const after_date = step.after_date || node.type === 'wait_until_date'
    for (const { to, branch } of out.get(node.key) ?? [])
      open.push(stepAt(to, { from: node.key, branch, after_seconds, after_date }))
  }
  return steps

  function stepAt(key: string, how: Omit<PreviewStep, 'node_key' | 'type'>): PreviewStep {
    return { node_key: key, type: byKey.get(key)!.type, ...how }
  }
}
