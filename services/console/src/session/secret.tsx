import { Code, Group } from '@mantine/core'
import { useMe } from './use-me.ts'
import { CopyButton } from '../parts/copy-button.tsx'

/**
 * A secret that this page keeps in memory while it shows it. It is in the document only during a session: somebody who finds the
 * page behind the sign-in cannot read it. `of` names it for the copy button.
 */
export function Secret({ value, of }: { value: string; of: string }) {
  const me = useMe()
  if (!me.data) return null
  return (
    <Group gap="xs">
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value} of={of} />
    </Group>
  )
}
