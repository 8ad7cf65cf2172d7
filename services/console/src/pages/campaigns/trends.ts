import type { ListedCampaignRun } from '@lettergate/client/console'
import { counted, percent } from '../../parts/words.ts'

/** How many runs a trend is made of. */
const most = 20

/** The last runs that sent to somebody and are over, oldest first. */
export const trendRunsOf = (newestFirst: readonly ListedCampaignRun[]): ListedCampaignRun[] =>
  newestFirst
    .filter(({ state, sent_count }) => (state === 'completed' || state === 'cancelled') && sent_count > 0)
    .slice(0, most)
    .toReversed()

/** A part of the recipients of a run, from 0 to 1. */
export interface RunRate {
  title: string
  of: (run: ListedCampaignRun) => number
}

/** The rates that runs are compared by. */
export const runRates: readonly RunRate[] = [
  { title: 'Delivered', of: (run) => run.delivered / run.sent_count },
  { title: 'Opened', of: (run) => run.opened_recipients / run.sent_count },
  { title: 'Bounced', of: (run) => run.hard_bounced / run.sent_count },
  { title: 'Complained', of: (run) => run.complained / run.sent_count },
]

function medianOf(rates: readonly number[]): number {
  const sorted = rates.toSorted((one, other) => one - other)
  const half = sorted.length / 2
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
}

/** The rate of the last run, and how far it is from the median of the runs before. */
export function rateInWords(rates: readonly number[]): string {
  const last = rates.at(-1)
  if (last === undefined) return ''
  const before = rates.slice(0, -1)
  const words = percent(last, 1)
  if (before.length === 0) return words
  const points = Math.round((last - medianOf(before)) * 1_000) / 10
  const runs = before.length === 1 ? 'in the run before' : `in the ${counted(before.length, 'run')} before`
  if (points === 0) return `${words}, as ${runs}`
  return `${words}, ${Math.abs(points).toLocaleString('en')} points ${points > 0 ? 'more' : 'less'} than ${runs}`
}
