import { expect, test } from '@jest/globals'
import { tally } from './tally.ts'

const at = (text: string) => new Date(`2026-11-21T12:${text}Z`)
const minuteMs = at('00:00').getTime()

test('people who moved in the same way are counted together, and runs apart', () => {
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

test('a fact that turns out to be earlier changes no outcome, and its minute only when that is another', () => {
  const run = { runId: 'a', before: { opened: at('05:30') } }
  expect(tally([{ ...run, after: { opened: at('05:01') } }])).toEqual({ moved: [], timed: [] })
  expect(tally([{ ...run, after: { opened: at('00:59') } }]).timed).toEqual([
    { runId: 'a', moment: 'opened', minuteMs: minuteMs + 5 * 60_000, people: -1 },
    { runId: 'a', moment: 'opened', minuteMs, people: 1 },
  ])
})

test('a bounce is timed once, by whichever of its two facts came first', () => {
  const before = { hard_bounced: at('01:00') }
  expect(tally([{ runId: 'a', before, after: { ...before, provider_suppressed: at('02:00') } }]).timed).toEqual([])
})

test('who moves away from a minute and who comes to it cancel out', () => {
  const [early, late] = [at('00:10'), at('09:00')]
  const { timed } = tally([
    { runId: 'a', before: {}, after: { clicked: late } },
    { runId: 'a', before: { clicked: late }, after: { clicked: early } },
  ])
  expect(timed).toEqual([{ runId: 'a', moment: 'clicked', minuteMs, people: 1 }])
})
