import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { ContactFacts } from '../definition/condition-holds.ts'
import type { AutomationEdge, AutomationNode, EdgeCondition } from '../definition/definition.ts'
import { graphOf } from '../definition/graph.ts'
import type { EnrolledContact } from '../engine/enrolled-contact.ts'
import { runVirtually } from './virtual-run.ts'

const day = 86_400
const nobody: ContactFacts = { fields: {}, tags: [], mergedTags: new Map([['t-0', 't-1']]), audienceIds: [], score: 0 }
const catalogue = [{ id: 't-1', name: 'vip' }]

const edge = (from: string, to: string, condition?: EdgeCondition): AutomationEdge => ({
  from,
  to,
  branch: condition ? 'yes' : 'default',
  condition,
})
const email = (key: string): AutomationNode => ({
  key,
  type: 'send_email',
  contentVersionId: 'c',
  senderIdentityId: 's',
})
const wait = (key: string, seconds: number): AutomationNode => ({ key, type: 'wait_duration', seconds })
const end: AutomationNode = { key: 'end', type: 'end' }

interface Given {
  nodes: AutomationNode[]
  edges?: AutomationEdge[]
  facts?: Partial<ContactFacts>
  startsAt?: string
}

function run({ nodes, edges, facts = {}, startsAt = '2027-01-01T09:00:00Z' }: Given) {
  const inOrder = nodes.slice(1).map(({ key }, n) => edge(nodes[n]!.key, key))
  const startNode = nodes[0]!.key
  const person: EnrolledContact = {
    enrollment_id: 'e',
    automation_id: 'a',
    contact_id: 'c',
    node_key: startNode,
    step_id: '',
    step_number: 1,
    wait_until: null,
    arrived_at: startsAt,
    waiting_reason: null,
    failed_attempts: 0,
    version_id: 'v',
    audience_id: null,
    synthetic_context_id: 'r',
    correlation_id: 'r',
    trace: {},
    is_published: false,
  }
  return runVirtually({
    graph: graphOf({ trigger: { type: 'manual' }, startNode, nodes, edges: edges ?? inOrder }),
    person,
    facts: { ...nobody, ...facts },
    tags: catalogue,
    startsAt: new Date(startsAt),
  })
}
const shown = ({ finished }: Awaited<ReturnType<typeof run>>) =>
  finished.map(({ person, step, at }) => `${at.toISOString().slice(0, 16)} ${person.node_key} ${step.outcome}`)

/** A weekly email for a year, counted by the score of the contact. */
const weekly: Given = {
  nodes: [
    email('mail'),
    wait('week', 7 * day),
    { key: 'count', type: 'adjust_score', amount: 1 },
    { key: 'again', type: 'decision' },
    end,
  ],
  edges: [
    edge('mail', 'week'),
    edge('week', 'count'),
    edge('count', 'again'),
    edge('again', 'mail', { subject: { score: true }, operator: 'less_than', value: 52 }),
    edge('again', 'end'),
  ],
}

test('a year of weekly emails ends after 52 weeks, each at its time', async () => {
  const { finished, end: ended, endedAt } = await run(weekly)
  const mails = finished.filter(({ person }) => person.node_key === 'mail')
  expect(mails.map(({ at }) => at.getTime())).toEqual(
    Array.from({ length: 52 }, (_, week) => Date.parse('2027-01-01T09:00:00Z') + week * 7 * day * 1_000),
  )
  expect([finished.length, ended.end, endedAt.toISOString()]).toEqual([209, 'completed', '2027-12-31T09:00:00.000Z'])
  expect(finished.map(({ person }) => person.step_number)).toEqual(finished.map((_, index) => index + 1))
})

test('every run has the same steps with the same ids and times, and another beginning has other ids', async () => {
  expect(await run(weekly)).toEqual(await run(weekly))
  const ids = async (startsAt: string) =>
    (await run({ ...weekly, startsAt })).finished.map(({ person }) => person.step_id)
  const first = await ids('2027-01-01T09:00:00Z')
  expect(new Set([...first, ...(await ids('2027-01-02T09:00:00Z'))]).size).toBe(2 * first.length)
  expect(first.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
    true,
  )
})

test.each([
  ['Europe/Berlin', '2027-03-28', '2027-03-27T23:00', '2027-03-28T23:00'],
  ['Europe/Berlin', '2027-10-31', '2027-10-30T22:00', '2027-10-31T22:00'],
  ['America/New_York', '2027-03-14', '2027-03-14T05:00', '2027-03-15T05:00'],
  // Here the clock is set forward at midnight, so the day begins at 01:00.
  ['Africa/Cairo', '2027-04-30', '2027-04-29T22:00', '2027-04-30T22:00'],
])(
  'in %s a wait until %s ends at midnight there, and a day lasts 24 hours',
  async (timezone, date, midnight, dayAfter) => {
    const done = await run({
      nodes: [{ key: 'until', type: 'wait_until_date', until: { field: 'custom.on' } }, wait('day', day), end],
      facts: { fields: { timezone, 'custom.on': date } },
    })
    expect(shown(done)).toEqual([`${midnight} until waited`, `${dayAfter} day waited`, `${dayAfter} end completed`])
  },
)

test('a date in the past and a missing date take no time', async () => {
  const until = (key: string, field: string): AutomationNode => ({ key, type: 'wait_until_date', until: { field } })
  const done = await run({
    nodes: [until('past', 'custom.on'), until('none', 'custom.off'), end],
    facts: { fields: { 'custom.on': '2026-01-01' } },
  })
  const at = '2027-01-01T09:00'
  expect(shown(done)).toEqual([`${at} past waited`, `${at} none skipped`, `${at} end completed`])
})

test('a decision sees what earlier steps of the run did, and facts of the contact stay as they are', async () => {
  const facts: ContactFacts = { ...nobody, fields: { company: 'Ltd' }, audienceIds: ['gone'], score: 1 }
  const before = structuredClone(facts)
  const conditions: [string, EdgeCondition][] = [
    ['tag', { subject: { tag: 't-1' }, operator: 'exists', value: null }],
    ['joined', { subject: { audienceId: 'new' }, operator: 'exists', value: null }],
    ['left', { subject: { audienceId: 'gone' }, operator: 'not_exists', value: null }],
    ['cleared', { subject: { field: 'company' }, operator: 'not_exists', value: null }],
    ['set', { subject: { field: 'custom.level' }, operator: 'equals', value: 3 }],
    ['score', { subject: { score: true }, operator: 'equals', value: 6 }],
  ]
  const effects: AutomationNode[] = [
    { key: '1', type: 'add_tag', tag: 'vip' },
    { key: '2', type: 'add_audience', audienceId: 'new', wordingVersion: '1', source: 'a' },
    { key: '3', type: 'remove_audience', audienceId: 'gone' },
    { key: '4', type: 'update_contact_field', field: 'company', value: null },
    { key: '5', type: 'update_contact_field', field: 'custom.level', value: 3 },
    { key: '6', type: 'adjust_score', amount: 5 },
  ]
  const condition: EdgeCondition = { all: conditions.map(([, one]) => one) }
  const done = await run({
    nodes: [
      ...effects,
      { key: 'which', type: 'decision' },
      { key: 'off', type: 'remove_tag', tag: 'vip' },
      { key: 'still', type: 'decision' },
      email('mail'),
      end,
    ],
    edges: [
      ...['1', '2', '3', '4', '5', '6'].map((key, n) => edge(key, ['2', '3', '4', '5', '6', 'which'][n]!)),
      edge('which', 'off', condition),
      edge('which', 'end'),
      edge('off', 'still'),
      edge('still', 'end', { subject: { tag: 'vip' }, operator: 'exists', value: null }),
      edge('still', 'mail'),
      edge('mail', 'end'),
    ],
    facts,
  })
  expect(done.finished.slice(6).map(({ person, step }) => [person.node_key, step.outcome, step.branch])).toEqual([
    ['which', 'decided', 'yes'],
    ['off', 'simulated', undefined],
    ['still', 'decided', 'default'],
    ['mail', 'simulated', undefined],
    ['end', 'completed', undefined],
  ])
  expect(facts).toEqual(before)
})

test('a tag that the workspace does not have fails the run at that step', async () => {
  const { finished, end: ended } = await run({ nodes: [{ key: 'tag', type: 'add_tag', tag: 'unknown' }, end] })
  expect([finished.length, ended.end, ended.reason]).toEqual([1, 'failed', 'tag_missing'])
})

test('a cycle without an end fails after 10,000 steps, and a run stops after 100 years', async () => {
  const cycle: Given = {
    nodes: [wait('second', 1), email('mail')],
    edges: [edge('second', 'mail'), edge('mail', 'second')],
  }
  const bounded = await run(cycle)
  expect([bounded.finished.length, bounded.end.end, bounded.end.reason]).toEqual([10_000, 'failed', 'too_many_steps'])
  const slow = await run({
    nodes: [wait('years', 3_650 * day), email('mail')],
    edges: [edge('years', 'mail'), edge('mail', 'years')],
  })
  expect([slow.end.end, slow.end.reason, slow.endedAt.toISOString()]).toEqual([
    'cancelled',
    'virtual_time_over',
    '2127-01-01T09:00:00.000Z',
  ])
})

/** The number of turns of the event loop that a run takes. A run that waits for a timer would let many more pass. */
async function turnsOf(given: Given) {
  let [isOver, turns] = [false, 0]
  const running = run(given).finally(() => (isOver = true))
  for (; !isOver; turns += 1) await setImmediate()
  return { turns, steps: (await running).finished.length }
}

test('other work of the process is done during a long run, and no run waits for a timer', async () => {
  const cycle = { nodes: [wait('second', 1), email('mail')], edges: [edge('second', 'mail'), edge('mail', 'second')] }
  const long = await turnsOf(cycle)
  expect(long.steps).toBe(10_000)
  expect(long.turns).toBeGreaterThanOrEqual(99)
  expect(long.turns).toBeLessThanOrEqual(10_000 / 20 + 2)
  // A year of 209 steps.
  const year = await turnsOf(weekly)
  expect(year.steps).toBe(209)
  expect(year.turns).toBeLessThanOrEqual(209 / 20 + 2)
})
