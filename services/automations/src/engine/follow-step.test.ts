import { expect, test } from '@jest/globals'
import type { AutomationNode } from '../definition/definition.ts'
import { graphOf } from '../definition/graph.ts'
import type { EnrolledContact } from './enrolled-contact.ts'
import { followStep } from './follow-step.ts'

const now = new Date('2027-03-01T10:00:00Z')
const minute = new Date('2027-03-01T10:01:00Z')
const nodes: AutomationNode[] = [
  { key: 'score', type: 'adjust_score', amount: 1 },
  { key: 'past', type: 'wait_until_date', until: { at: '2027-01-01T00:00:00Z' } },
  { key: 'wait', type: 'wait_duration', seconds: 60 },
  { key: 'tag', type: 'add_tag', tag: 'a' },
  { key: 'end', type: 'end' },
]
const edges = nodes.slice(1).map(({ key }, n) => ({ from: nodes[n]!.key, to: key, branch: 'default' }))
const graph = graphOf({ startNode: 'score', nodes, edges } as never)

const at = (key: string): EnrolledContact => ({
  enrollment_id: 'e',
  automation_id: 'a',
  contact_id: 'c',
  node_key: key,
  step_id: 's',
  step_number: 1,
  wait_until: null,
  arrived_at: now.toISOString(),
  waiting_reason: null,
  failed_attempts: 0,
  version_id: 'v',
  audience_id: null,
  synthetic_context_id: null,
  correlation_id: 'r',
  trace: {},
  is_published: true,
})
const follow = (key: string, to: string | null, more: { state?: 'active' | 'paused'; goesOn?: boolean } = {}) => {
  const { state = 'active', goesOn = true } = more
  const step = { nodeType: 'x', outcome: 'applied' }
  const { finished, move, end, next } = followStep(
    { person: at(key), result: { kind: 'moved', step, to } },
    { graph, state, now, goesOn },
  )
  return {
    finished: finished.map(({ person, step: { outcome } }) => `${person.step_number} ${person.node_key} ${outcome}`),
    at: move && `${move.nodeKey} ${move.state} ${move.stepNumber}`,
    due: move?.dueAt,
    end: end?.end,
    next: next?.node_key,
  }
}

test('a contact passes a wait that is over and arrives at the next one', () => {
  const finished = ['1 score applied', '2 past waited']
  expect(follow('score', 'past')).toEqual({
    finished,
    at: 'wait waiting 3',
    due: minute,
    end: undefined,
    next: undefined,
  })
})

test('a contact reaches its end at once', () => {
  const finished = ['1 tag applied', '2 end completed']
  expect(follow('tag', 'end')).toEqual({ finished, at: undefined, due: undefined, end: 'completed', next: undefined })
})

test('a node that asks another service is the next step of the worker', () => {
  expect(follow('wait', 'tag')).toMatchObject({ finished: ['1 wait applied'], at: 'tag active 2', next: 'tag' })
})

test('a contact whose worker stops, or who is paused, stays at the next node', () => {
  const stays = { finished: ['1 tag applied'], end: undefined, next: undefined }
  expect(follow('tag', 'end', { goesOn: false })).toMatchObject({ ...stays, at: 'end active 2' })
  expect(follow('tag', 'end', { state: 'paused' })).toMatchObject({ ...stays, at: 'end paused 2' })
})
