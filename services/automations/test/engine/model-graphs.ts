/** The graphs of the model. Versions take them in turn. */
export const modelGraphs: readonly ModelGraph[] = [
  {
    start: 'wait',
    nodes: {
      wait: { does: 'wait', seconds: 60, to: 'email' },
      email: { does: 'email', to: 'score' },
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
      score: { does: 'score', amount: 10, to: 'untag' },
      untag: { does: 'untag', to: 'wait' },
      wait: { does: 'wait', seconds: 90, to: 'which' },
      which: { does: 'choose', above: 15, yes: 'join', no: 'score' },
      join: { does: 'join', to: 'tag' },
      tag: { does: 'tag', to: 'email' },
      email: { does: 'email', to: 'is-tagged' },
      'is-tagged': { does: 'choose tagged', yes: 'end', no: 'wait' },
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
  | { readonly does: 'choose tagged'; readonly yes: string; readonly no: string }
  | { readonly does: 'join' | 'tag' | 'untag' | 'email'; readonly to: string }
  | { readonly does: 'end' }

/** What the definitions of a workspace name. */
export interface ModelSubjects {
  readonly audienceId: string
  readonly contentVersionId: string
  readonly senderIdentityId: string
  readonly tag: string
}

/** The graph as a definition of an automation. */
export function definitionOf({ start, nodes }: ModelGraph, subjects: ModelSubjects) {
  const { audienceId, contentVersionId, senderIdentityId, tag } = subjects
  const edges = (from: string, node: ModelNode) => {
    if (node.does === 'end') return []
    if (node.does !== 'choose' && node.does !== 'choose tagged') return [{ from, to: node.to, branch: 'default' }]
    const condition =
      node.does === 'choose'
        ? { score: true, operator: 'greater_than', value: node.above }
        : { tag, operator: 'exists' }
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
      case 'choose tagged':
        return { type: 'decision', config: {} }
      case 'tag':
        return { type: 'add_tag', config: { tag } }
      case 'untag':
        return { type: 'remove_tag', config: { tag } }
      case 'email':
        return {
          type: 'send_email',
          config: { content_version_id: contentVersionId, sender_identity_id: senderIdentityId },
        }
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
