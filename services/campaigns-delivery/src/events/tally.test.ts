import { expect, test } from '@jest/globals'
import { tally } from './tally.ts'

const at = (text: string) => new Date(`2026-11-21T12:${text}Z`)
const minuteMs = at('00:00').getTime()

test('recipients with the same change are counted together, runs separately', () => {
  const delivered = { after: { accepted: at('00:01'), delivered: at('00:02') }, before: { accepted: at('00:01') } }
  const { moved, timed } = tally([
    { runId: 'a', ...delivered },
    { runId: 'a', before: delivered.before, after: { delivered: at('00:02'), accepted: at('00:01') } },
    { runId: 'b', ...delivered },
  ])
  const names = { before: ['accepted'], after: ['accepted', 'delivered'] }
  expect(moved).toEqual([
    { runId: 'a', ...names, people: 2 },
    { runId: 'b', ...names, people: 1 },
  ])
  expect(timed).toEqual([
    { runId: 'a', moment: 'delivered', minuteMs, people: 2 },
    { runId: 'b', moment: 'delivered', minuteMs, people: 1 },
  ])
})

test('an earlier time of a fact changes no outcome, and the minute only if it differs', () => {
  const run = { runId: 'a', before: { opened: at('05:30') } }
  expect(tally([{ ...run, after: { opened: at('05:01') } }])).toEqual({ moved: [], timed: [] })
  expect(tally([{ ...run, after: { opened: at('00:59') } }]).timed).toEqual([
    { runId: 'a', moment: 'opened', minuteMs: minuteMs + 5 * 60_000, people: -1 },
    { runId: 'a', moment: 'opened', minuteMs, people: 1 },
  ])
})

test('a bounce is counted once in the timeline, at the earlier of its two facts', () => {
  const before = { hard_bounced: at('01:00') }
  expect(tally([{ runId: 'a', before, after: { ...before, provider_suppressed: at('02:00') } }]).timed).toEqual([])
})

test('adding to and removing from the same minute cancel out', () => {
  const [early, late] = [at('00:10'), at('09:00')]
  const { timed } = tally([
    { runId: 'a', before: {}, after: { clicked: late } },
    { runId: 'a', before: { clicked: late }, after: { clicked: early } },
  ])
  expect(timed).toEqual([{ runId: 'a', moment: 'clicked', minuteMs, people: 1 }])
})
