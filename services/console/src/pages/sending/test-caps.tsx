import type { TestSendCaps as Caps } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** “Left: 3 of 5 this hour, 10 of 20 today.” */
export const capsInWords = (caps: Caps): string =>
  `Left: ${caps.hourly_left} of ${caps.hourly_cap} this hour, ${caps.daily_left} of ${caps.daily_cap} today.`

/** How many test emails the workspace may still send. Rehearsals count, too. */
export function TestCaps() {
  const { name, console } = useWorkspace()
  const answer = useAnswer([name, 'test-caps'], (options) => console.listTestSends({ limit: 1 }, options))
  const caps = answer.data?.caps
  if (caps === undefined)
    return (
      <FailedReads of={[answer]}>
        <Text size="sm">Test sends left: …</Text>
      </FailedReads>
    )
  return (
    <Text size="sm" {...(caps.hourly_left === 0 ? { c: 'var(--mantine-color-red-text)' } : {})} role="status">
      {caps.hourly_left === 0 && 'No test send is left now. Wait, then try again. '}
      Test sends and rehearsals of the workspace: {capsInWords(caps)} Both windows slide.
    </Text>
  )
}
