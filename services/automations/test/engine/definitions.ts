/** A definition whose nodes follow each other, and an end after the last one. */
export function sequence(trigger: object, nodes: readonly { type: string; config: object }[]) {
  const keyed = [...nodes, { type: 'end', config: {} }].map((node, index) => ({
    key: `${index + 1}-${node.type}`,
    ...node,
  }))
  return {
    trigger,
    start_node: keyed[0]!.key,
    nodes: keyed,
    edges: keyed.slice(1).map((to, index) => ({ from: keyed[index]!.key, to: to.key, branch: 'default' })),
  }
}

export const onSubscription = (audienceId: string) => ({
  type: 'audience_subscribed',
  config: { audience_id: audienceId },
})
export const wait = (seconds: number) => ({ type: 'wait_duration', config: { seconds } })
export const addTag = (tag: string) => ({ type: 'add_tag', config: { tag } })
export const adjustScore = (amount: number) => ({ type: 'adjust_score', config: { amount } })
