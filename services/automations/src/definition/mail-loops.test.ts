import { expect, test } from '@jest/globals'
import type { AutomationEdge, AutomationNode, EdgeCondition } from './definition.ts'
import { mailLoops } from './mail-loops.ts'

const again: EdgeCondition = { subject: { tag: 'vip' }, operator: 'exists', value: null }
const email = (key: string): AutomationNode => ({
  key,
  type: 'send_email',
  contentVersionId: 'c',
  senderIdentityId: 's',
})
const wait = (key: string, seconds: number): AutomationNode => ({ key, type: 'wait_duration', seconds })
const edge = (from: string, to: string, condition?: EdgeCondition): AutomationEdge => ({
  from,
  to,
  branch: condition ? 'again' : 'default',
  condition,
})

/** An email, the nodes after it, and a decision that leads back to it or to the end. */
function loopOf(...between: AutomationNode[]) {
  const nodes: AutomationNode[] = [
    email('mail'),
    ...between,
    { key: 'again', type: 'decision' },
    { key: 'end', type: 'end' },
  ]
  const inOrder = nodes.slice(1).map(({ key }, n) => edge(nodes[n]!.key, key))
  return mailLoops({
    trigger: { type: 'manual' },
    startNode: 'mail',
    nodes,
    edges: [...inOrder, edge('again', 'mail', again)],
  })
}

test('an email to which a contact comes back in less than an hour is named with the time', () => {
  expect(loopOf(wait('a', 1_800), wait('b', 1_799))).toEqual([
    'A contact can come back to the email "mail" after 3599 seconds and get it again and again. Let the cycle wait for an hour or more.',
  ])
  expect(loopOf(wait('a', 1_800), wait('b', 1_800))).toEqual([])
})

test('the shortest way back counts, and a date does not wait a second time', () => {
  const date: AutomationNode = { key: 'date', type: 'wait_until_date', until: { field: 'custom.on' } }
  expect(loopOf(date, wait('a', 60))).toHaveLength(1)
  const [first, second] = [email('first'), email('second')]
  const nodes = [first, wait('day', 86_400), { key: 'which', type: 'decision' } as const, wait('minute', 60), second]
  const edges = [
    edge('first', 'day'),
    edge('day', 'which'),
    edge('which', 'minute', again),
    edge('which', 'first'),
    edge('minute', 'second'),
    edge('second', 'minute'),
  ]
  expect(mailLoops({ trigger: { type: 'manual' }, startNode: 'first', nodes, edges })).toEqual([
    expect.stringContaining('"second" after 60 seconds'),
  ])
})

test('a short cycle without an email, and an email without a way back, are not named', () => {
  const nodes = [
    wait('a', 1),
    { key: 'which', type: 'decision' } as const,
    email('mail'),
    { key: 'end', type: 'end' } as const,
  ]
  const edges = [edge('a', 'which'), edge('which', 'a', again), edge('which', 'mail'), edge('mail', 'end')]
  expect(mailLoops({ trigger: { type: 'manual' }, startNode: 'a', nodes, edges })).toEqual([])
})
