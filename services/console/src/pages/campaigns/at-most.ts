import type { CountedAudience } from '@lettergate/client/console'
import { counted } from '../../parts/words.ts'

/** How many people can get a campaign at most. Only its schedule counts them exactly. */
export function atMostInWords(
  audiences: readonly Pick<CountedAudience, 'active_member_count'>[],
  isFiltered: boolean,
): string {
  const members = audiences.reduce((sum, audience) => sum + audience.active_member_count, 0)
  const less = [
    ...(audiences.length > 1 ? ['somebody in several audiences counts once'] : []),
    ...(isFiltered ? ['only people with the right tags count'] : []),
    'people who may not be mailed are left out',
  ]
  return `At most ${counted(members, 'active member')}. The exact number is counted when the campaign is scheduled: ${less.join(', ')}.`
}
