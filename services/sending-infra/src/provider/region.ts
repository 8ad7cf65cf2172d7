import { Fault } from '@lettergate/fault'

export type Region = 'us' | 'eu'

/** One of the provider's two regions. The configuration has the URL of each region. */
export function parseRegion(text: string): Region {
  if (text === 'us' || text === 'eu') return text
  throw new Fault('invalid_argument', 'region', 'region must be us or eu.')
}
