import type { Result } from '@lettergate/client'
import type { Suppression } from '@lettergate/client/console'
import { Group, Stack, Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { explained } from '../../parts/explanations.ts'
import { PageLink, PageLinkFromHere } from '../../parts/link.tsx'
import { MomentBy } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { useFilters } from '../../parts/use-filter.ts'
import { inWords } from '../../parts/words.ts'
import { readTimeoutMs } from '../../session/clients.ts'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const scopeOf = ({ scope, audience_name }: Suppression) =>
  scope === 'audience' ? (audience_name ?? 'A deleted audience') : scope === 'workspace' ? 'This workspace' : 'Platform'

/** What the suppression is based on. Ids say nothing to a reader: the run is a link, and a button copies all of it. */
function Evidence({ of }: { of: Record<string, unknown> }) {
  const facts = Object.entries(of)
    .filter(([name]) => !name.endsWith('_id'))
    .map(
      ([name, value]) => `${inWords(name).toLowerCase()} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
  const hasIds = Object.keys(of).some((name) => name.endsWith('_id'))
  const runId = of['run_id']
  if (facts.length === 0 && !hasIds) return null
  return (
    <Group gap={6}>
      {facts.length > 0 && <Text size="xs">Evidence: {facts.join(', ')}</Text>}
      {typeof runId === 'string' && (
        <Text size="xs">
          <PageLink to={`/runs/${runId}`}>an email of this run</PageLink>
        </Text>
      )}
      {hasIds && <CopyButton value={JSON.stringify(of, null, 2)} of="the evidence with its ids" />}
    </Group>
  )
}

/** Suppressions of one contact, or of all contacts with the filters of the page. */
export function SuppressionsTable({ contactId }: { contactId?: string }) {
  const { name, console } = useWorkspace()
  const filters = useFilters('search', 'scope', 'reason', 'state')
  const asked = contactId === undefined ? (filters as object) : { contact_id: contactId }
  const pages = usePages([name, 'suppressions', contactId ?? 'all', asked], (page, options) =>
    console.listSuppressions({ ...page, ...asked, limit: 100 }, options),
  )
  return (
    <PagedTable
      label="Suppressions"
      pages={pages}
      rowsOf={(page) => page.suppressions}
      keyOf={({ id }) => id}
      isEndless={contactId === undefined}
      empty={
        <Empty title={contactId === undefined && Object.keys(filters).length > 0 ? 'No suppression matches' : 'None'}>
          Hard bounces, complaints and people who leave appear here.
        </Empty>
      }
      columns={[
        ...(contactId === undefined
          ? [
              {
                title: 'Address',
                cell: (row: Suppression) => <PageLink to={`/contacts/${row.contact_id}`}>{row.email}</PageLink>,
              },
            ]
          : []),
        {
          title: 'Why',
          cell: (row) => (
            <Stack gap={0}>
              <Text size="sm" fw={600}>
                {inWords(row.reason)}
              </Text>
              <Text size="xs" c="dimmed">
                {explained(row.reason).remedy}
              </Text>
              {row.evidence && <Evidence of={row.evidence as Record<string, unknown>} />}
            </Stack>
          ),
        },
        { title: 'Stops', cell: scopeOf },
        {
          title: 'Since',
          cell: (row) => <MomentBy at={row.created_at} by={row.actor} />,
        },
        {
          title: 'Resolved',
          cell: (row) =>
            row.resolved_at ? (
              <Text size="sm">
                <MomentBy at={row.resolved_at} by={row.resolved_by} />: {row.resolution_reason}
              </Text>
            ) : (
              <ResolveButton suppression={row} />
            ),
        },
      ]}
    />
  )
}

function ResolveButton({ suppression }: { suppression: Suppression }) {
  const { me, api, console, may } = useWorkspace()
  /** Answers what to say if a colleague resolved it before: the service answers the same, and keeps the first reason. */
  const resolve = async (resolution_reason: string): Promise<Result<string | undefined>> => {
    const { id, contact_id, scope } = suppression
    const result = await api.resolveSuppression({ suppression_id: id, body: { resolution_reason } })
    if (!result.ok) return result
    const asked = { contact_id, scope, state: 'resolved', limit: 100 } as const
    const read = await console.listSuppressions(asked, { timeoutMs: readTimeoutMs })
    const stored = read.ok ? read.data.suppressions.find((one) => one.id === id) : undefined
    const isByColleague = stored && stored.resolved_by !== me.user.username
    const words = `${stored?.resolved_by ?? 'Somebody'} resolved it before, with another reason: ${stored?.resolution_reason}`
    return { ...result, data: isByColleague && stored.resolution_reason !== resolution_reason ? words : undefined }
  }
  if (suppression.scope === 'platform')
    return (
      <>
        Only by an administrator of the platform
        <PageLinkFromHere path="/platform/suppressions" before=": " />
      </>
    )
  if (!may('resolve_suppressions')) return <>No</>
  return (
    <ActButton
      label="Resolve"
      title={`Resolve the suppression of ${suppression.email}?`}
      act="Resolve it"
      isDangerous
      consequences={[
        'The contact can be mailed again, as far as its consent allows.',
        'A second hard bounce or complaint harms the reputation of your domain.',
        'The reason stays in the record of consent.',
      ]}
      fields={{ reason: { kind: 'long', label: 'Why is this right?' } }}
      run={({ reason }) => resolve(reason)}
      done={(words) => words}
    />
  )
}
