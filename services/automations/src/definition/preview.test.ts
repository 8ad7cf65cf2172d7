import { expect, test } from '@jest/globals'
import type { Definition } from './definition.ts'
import { previewSteps } from './preview.ts'

const definition: Definition = {
  trigger: { type: 'manual' },
  startNode: 'start',
  nodes: [
    { key: 'start', type: 'decision' },
    { key: 'day', type: 'wait_duration', seconds: 86_400 },
    { key: 'hour', type: 'wait_duration', seconds: 3_600 },
    { key: 'mail', type: 'adjust_score', amount: 1 },
    { key: 'date', type: 'wait_until_date', until: { field: 'custom.day' } },
    { key: 'end', type: 'end' },
    { key: 'island', type: 'end' },
  ],
  edges: [
    { from: 'start', to: 'day', branch: 'default', condition: undefined },
    { from: 'start', to: 'hour', branch: 'vip', condition: { all: [] } },
    { from: 'day', to: 'mail', branch: 'default', condition: undefined },
    { from: 'hour', to: 'mail', branch: 'default', condition: undefined },
    { from: 'mail', to: 'date', branch: 'default', condition: undefined },
    { from: 'date', to: 'end', branch: 'default', condition: undefined },
  ],
}

test('the preview has each reachable node once, in the order of the shortest waits, with the waits summed', () => {
  expect(
    previewSteps(definition).map(({ node_key, from, branch, after_seconds, after_date }) => [
      node_key,
      from,
      branch,
      after_seconds,
      after_date,
    ]),
  ).toEqual([
    ['start', null, null, 0, false],
    ['day', 'start', 'default', 0, false],
    ['hour', 'start', 'vip', 0, false],
    ['mail', 'hour', 'default', 3_600, false],
    ['date', 'mail', 'default', 3_600, false],
    ['end', 'date', 'default', 3_600, true],
  ])
})

test('a cycle ends the preview', () => {
  const edges = [...definition.edges.slice(0, 5), { from: 'date', to: 'day', branch: 'default', condition: undefined }]
  expect(previewSteps({ ...definition, edges }).map(({ node_key }) => node_key)).toEqual([
    'start',
    'day',
    'hour',
    'mail',
    'date',
  ])
})
