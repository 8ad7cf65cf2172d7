import { Badge } from '@mantine/core'
import { stateOf } from './states.ts'
import { inWords } from './words.ts'

/** The state of an object, in words, with its meaning in a tooltip, and a color that only repeats it. */
export function StateBadge({ state }: { state: string }) {
  const known = stateOf(state)
  return (
    <Badge
      {...(known && { 'data-means': known.means, tabIndex: 0 })}
      color={known?.color ?? 'gray'}
      variant="outline"
      tt="none"
      fw={600}
      miw="max-content"
      c="var(--mantine-color-text)"
    >
      {inWords(state)}
    </Badge>
  )
}
