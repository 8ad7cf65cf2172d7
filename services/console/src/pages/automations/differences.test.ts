import { expect, test } from '@jest/globals'
import type { AutomationDefinition } from '@lettergate/client'
import { differencesOf } from './differences.ts'

const before: AutomationDefinition = {
  trigger: { type: 'tag_added', config: { tag: 'vip' } },
  start_node: 'pause',
  nodes: [
    { key: 'pause', type: 'wait_duration', config: { seconds: 60 } },
    { key: 'mail', type: 'send_email', config: { content_version_id: 'c1', sender_identity_id: 's1' } },
    { key: 'end', type: 'end', config: {} },
  ],
  edges: [
    { from: 'pause', to: 'mail', branch: 'default' },
    { from: 'mail', to: 'end', branch: 'default' },
  ],
}
const names = { c1: 'Welcome', a1: 'Weekly' }

test('a version differs in nothing from itself, in whatever order its fields are', () => {
  const nodes = before.nodes.map((node) => ({
    config: Object.fromEntries(Object.entries(node.config).toReversed()),
    type: node.type,
    key: node.key,
  }))
  expect(differencesOf(before, { ...before, nodes }, names)).toEqual([])
})

test('added, removed and changed steps and paths are told in words', () => {
  const after: AutomationDefinition = {
    trigger: { type: 'audience_subscribed', config: { audience_id: 'a1' } },
    start_node: 'decide',
    nodes: [
      { key: 'pause', type: 'wait_duration', config: { seconds: 120 } },
      { key: 'decide', type: 'decision', config: {} },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      { from: 'decide', to: 'pause', branch: 'keen', condition: { tag: 'vip', operator: 'exists' } },
      { from: 'pause', to: 'end', branch: 'default' },
    ],
  }
  expect(differencesOf(before, after, names)).toEqual([
    {
      kind: 'changed',
      of: 'the beginning',
      before: 'When the tag vip is added',
      after: 'When somebody joins Weekly',
    },
    { kind: 'changed', of: 'the first step', before: 'pause', after: 'decide' },
    { kind: 'removed', of: 'mail', before: 'Send “Welcome”', after: '' },
    { kind: 'changed', of: 'pause', before: 'Wait 1 minute', after: 'Wait 2 minutes' },
    { kind: 'added', of: 'decide', before: '', after: 'Decide' },
    { kind: 'removed', of: 'after mail', before: 'to end', after: '' },
    { kind: 'added', of: 'after decide, keen', before: '', after: 'to pause if tag vip exists' },
    { kind: 'changed', of: 'after pause', before: 'to mail', after: 'to end' },
  ])
})

test('a change that the words do not tell is told as its content', () => {
  const nodes = before.nodes.map((node) =>
    node.key === 'mail' ? { ...node, config: { ...node.config, sender_identity_id: 's2' } } : node,
  )
  const [difference, ...others] = differencesOf(before, { ...before, nodes }, names)
  expect(others).toEqual([])
  expect(difference).toMatchObject({ kind: 'changed', of: 'mail' })
  expect(difference!.before).toContain('"sender_identity_id":"s1"')
  expect(difference!.after).toContain('"sender_identity_id":"s2"')
})
