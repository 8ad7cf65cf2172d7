import { expect, test } from '@jest/globals'
import type { ListedCampaignRun } from '@lettergate/client/console'
import { rateInWords, runRates, trendRunsOf } from './trends.ts'

const run = (id: string, changed: Partial<ListedCampaignRun> = {}): ListedCampaignRun => ({
  id,
  campaign_id: 'campaign',
  campaign_name: 'News',
  state: 'completed',
  scheduled_for: '2026-09-14T09:00:00Z',
  started_at: '2026-09-14T09:00:00Z',
  completed_at: '2026-09-14T09:01:00Z',
  held_by: null,
  included_count: 10,
  excluded_count: 0,
  sent_count: 10,
  failed_count: 0,
  delivered: 9,
  hard_bounced: 1,
  complained: 2,
  opened_recipients: 4,
  created_at: '2026-09-14T08:00:00Z',
  resends_run_id: null,
  resent_by_run_id: null,
  ...changed,
})

test('a trend has the last twenty runs that are over and sent to somebody, oldest first', () => {
  const many = Array.from({ length: 25 }, (_, age) => run(`${age}`))
  const runs = [run('sending', { state: 'sending' }), run('nobody', { sent_count: 0 }), ...many]
  expect(trendRunsOf(runs).map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, age) => `${19 - age}`))
})

test('each rate is a part of the emails that were sent', () => {
  expect(runRates.map(({ title, of }) => [title, of(run('a'))])).toEqual([
    ['Delivered', 0.9],
    ['Opened', 0.4],
    ['Bounced', 0.1],
    ['Complained', 0.2],
  ])
})

test.each([
  [[], ''],
  [[0.5], '50 %'],
  [[0.4, 0.5], '50 %, 10 points more than in the run before'],
  [[0.9, 0.1, 0.52, 0.5], '50 %, 2 points less than in the 3 runs before'],
  [[0.2, 0.4, 0.3], '30 %, as in the 2 runs before'],
])('the rates %j read “%s”', (rates, words) => {
  expect(rateInWords(rates)).toBe(words)
})
