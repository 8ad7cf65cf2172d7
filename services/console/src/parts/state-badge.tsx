import { Badge } from '@mantine/core'
import { inWords } from './words.ts'

const colors: Record<string, string> = {
  active: 'green',
  enabled: 'green',
  ready: 'green',
  passed: 'green',
  valid: 'green',
  open: 'green',
  added: 'green',
  changed: 'indigo',
  removed: 'red',
  blocked: 'red',
  invalid: 'red',
  'not ready': 'orange',
  accepted: 'green',
  completed: 'green',
  delivered: 'green',
  granted: 'green',
  published: 'green',
  resolved: 'green',
  sent: 'green',
  verified: 'green',
  aligned: 'green',
  approved: 'green',
  replayed: 'green',
  ready_for_review: 'indigo',
  scheduled: 'indigo',
  sending: 'indigo',
  applying: 'indigo',
  running: 'indigo',
  waiting: 'indigo',
  replaying: 'indigo',
  paused: 'yellow',
  suspended: 'yellow',
  pending: 'yellow',
  warning: 'yellow',
  review_required: 'yellow',
  unknown: 'yellow',
  critical: 'red',
  dead: 'red',
  failed: 'red',
  hard_bounced: 'red',
  misaligned: 'red',
  insufficient: 'red',
  revoked: 'red',
  suppressed: 'red',
  withdrawn: 'red',
}

/** The state of an object, in words and with a color that only repeats them. */
export const StateBadge = ({ state }: { state: string }) => (
  <Badge
    color={colors[state] ?? 'gray'}
    variant="outline"
    tt="none"
    fw={600}
    miw="max-content"
    c="var(--mantine-color-text)"
  >
    {inWords(state)}
  </Badge>
)
