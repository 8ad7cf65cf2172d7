import { Alert, List, Text } from '@mantine/core'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { PageLinkFromHere } from '../../parts/link.tsx'
import { useGates } from '../../session/use-gates.ts'
import { useHealth } from '../../session/use-health.ts'
import { useSenders } from '../../session/use-lists.ts'
import { administersPlatform } from '../../session/use-me.ts'
import { useWorkspaces } from '../../session/use-workspaces.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { whatCanSend } from './what-can-send.ts'

/** What keeps an import from being approved now, as far as the user may know it. The service asks for all of it again. */
export function useWhatCanSend() {
  const { name, me, workspace } = useWorkspace()
  const seesGates = administersPlatform(me)
  const [senders, health, workspaces, gates] = [
    useSenders(),
    useHealth(),
    useWorkspaces(),
    useGates({ enabled: seesGates }),
  ]
  const reads = seesGates ? [senders, health, gates] : [senders, health]
  const here = workspaces.data?.workspaces.find((one) => `${one.organization}/${one.workspace}` === name)
  const found =
    senders.data && health.data && (gates.data || !seesGates)
      ? whatCanSend({
          isWorkspaceOn: (here ?? workspace).production_sending_enabled,
          enabledSenders: senders.data.sender_identities.filter((one) => one.is_enabled).length,
          isProductionOpen: health.data.production_sending_enabled,
          gates: gates.data?.gates,
        })
      : undefined
  return { found, reads, seesGates }
}

/** Says what can send, or that nothing can. */
export function CanSend({ found, reads, seesGates }: ReturnType<typeof useWhatCanSend>) {
  if (!found) return <FailedReads of={reads} />
  const unseen = seesGates
    ? ''
    : ' Test sends, and production sending that the environment allows, prevent it too; only administrators of the platform see these.'
  if (found.length === 0)
    return (
      <Text size="sm">
        It can be approved only while nothing can send. {seesGates ? 'Nothing can send now.' : 'This workspace cannot.'}
        {unseen}
      </Text>
    )
  return (
    <Alert color="orange" title="It cannot be approved now, because something can send">
      <List size="sm">
        {found.map(({ words, page }) => (
          <List.Item key={words}>
            {words}
            {page && <PageLinkFromHere before=" See " path={page} after="." />}
          </List.Item>
        ))}
      </List>
      {unseen && (
        <Text size="sm" mt={4}>
          {unseen}
        </Text>
      )}
    </Alert>
  )
}
