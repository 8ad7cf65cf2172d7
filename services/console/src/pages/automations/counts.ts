import type { AutomationNodeCounts } from '@lettergate/client/console'

const words = [
  ['active', 'due'],
  ['waiting', 'waiting'],
  ['paused', 'paused'],
  ['passed', 'passed'],
  ['skipped', 'skipped'],
  ['failed', 'failed'],
  ['unknown', 'unknown'],
] as const

/** “2 waiting, 10 passed”: what happened at a node, without zeros; “…” before the counts are read. */
export function countsInWords(nodes: readonly AutomationNodeCounts[] | undefined, nodeKey: string): string {
  if (nodes === undefined) return '…'
  const counts = nodes.find(({ node_key }) => node_key === nodeKey)
  const parts = words.flatMap(([key, word]) =>
    counts && counts[key] > 0 ? [`${counts[key].toLocaleString('en')} ${word}`] : [],
  )
  return parts.join(', ') || 'nobody yet'
}
