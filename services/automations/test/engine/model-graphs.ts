/** The graphs of the model. Versions take them in turn. */
export const modelGraphs: readonly ModelGraph[] = [
  {
    start: 'wait',
    nodes: {
      wait: { does: 'wait', seconds: 60, to: 'score' },
      score: { does: 'score', amount: 1, to: 'which' },
      which: { does: 'choose', above: 1, yes: 'join', no: 'wait' },
      join: { does: 'join', to: 'rest' },
      rest: { does: 'wait', seconds: 30, to: 'end' },
      end: { does: 'end' },
    },
  },
  {
    start: 'score',
    nodes: {
      score: { does: 'score', amount: 10, to: 'wait' },
      wait: { does: 'wait', seconds: 90, to: 'which' },
      which: { does: 'choose', above: 15, yes: 'join', no: 'score' },
      join: { does: 'join', to: 'end' },
      end: { does: 'end' },
    },
  },
]

export interface ModelGraph {
  readonly start: string
  readonly nodes: Readonly<Record<string, ModelNode>>
}

type ModelNode =
  | { readonly does: 'wait'; readonly seconds: number; readonly to: string }
  | { readonly does: 'score'; readonly amount: number; readonly to: string }
  | { readonly does: 'choose'; readonly above: number; readonly yes: string; readonly no: string }
  | { readonly does: 'join'; readonly to: string }
  | { readonly does: 'end' }

/** The graph as a definition of an automation. */
export function definitionOf({ start, nodes }: ModelGraph, audienceId: string) {
  const edges = (from: string, node: ModelNode) => {
    if (node.does === 'end') return []
    if (node.does !== 'choose') return [{ from, to: node.to, branch: 'default' }]
    const condition = { score: true, operator: 'greater_than', value: node.above }
    return [
      { from, to: node.yes, branch: 'yes', condition },
      { from, to: node.no, branch: 'default' },
    ]
  }
  const work = (node: ModelNode) => {
    switch (node.does) {
      case 'wait':
        return { type: 'wait_duration', config: { seconds: node.seconds } }
      case 'score':
        return { type: 'adjust_score', config: { amount: node.amount } }
      case 'choose':
        return { type: 'decision', config: {} }
      case 'join':
        return { type: 'add_audience', config: { audience_id: audienceId, wording_version: '1', source: 'model' } }
      case 'end':
        return { type: 'end', config: {} }
    }
  }
  return {
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
    start_node: start,
    nodes: Object.entries(nodes).map(([key, node]) => ({ key, ...work(node) })),
    edges: Object.entries(nodes).flatMap(([key, node]) => edges(key, node)),
  }
}
