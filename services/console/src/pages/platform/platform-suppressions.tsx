import type { Result } from '@lettergate/client'
import type { PlatformSuppression } from '@lettergate/client/console'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Filters, TextFilter } from '../../parts/filters.tsx'
import { MomentBy } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { SuppressionFilters } from '../../parts/suppression-filters.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { useFilters } from '../../parts/use-filter.ts'
import { inWords } from '../../parts/words.ts'
import { consoleApi, readTimeoutMs } from '../../session/clients.ts'
import { usePages } from '../../session/use-answer.ts'
import { useMe } from '../../session/use-me.ts'

/** Addresses that nobody on the platform can mail. */
export default function PlatformSuppressionsPage() {
  const { email = '', ...others } = useFilters('email', 'reason', 'state')
  // An address that is still being typed finds nothing, and is no mistake.
  const filters = /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email) ? { ...others, email } : others
  const pages = usePages(['platform-suppressions', filters], (page, options) =>
    consoleApi.listPlatformSuppressions({ ...page, ...(filters as object), limit: 50 }, options),
  )
  return (
    <Page
      title="Platform suppressions"
      about="These addresses get no email of any organization. They are shown masked; to find one, write the whole address."
    >
      <Filters>
        <TextFilter name="email" label="Whole address" />
        <SuppressionFilters />
      </Filters>
      <PagedTable
        label="Platform suppressions"
        pages={pages}
        rowsOf={(page) => page.suppressions}
        keyOf={({ id }) => id}
        isEndless
        empty={<Empty title="There is none">Workspaces make them for people who want no email at all.</Empty>}
        columns={[
          { title: 'Address', cell: (row) => row.masked_email },
          { title: 'Why', cell: (row) => inWords(row.reason) },
          { title: 'Made in', cell: (row) => (row.workspace ? `${row.organization}/${row.workspace}` : 'unknown') },
          {
            title: 'Since',
            cell: (row) => <MomentBy at={row.created_at} by={row.actor} />,
          },
          {
            title: 'Resolved',
            cell: (row) =>
              row.resolved_at ? <MomentBy at={row.resolved_at} by={row.resolved_by} /> : <Resolve suppression={row} />,
          },
        ]}
      />
    </Page>
  )
}

function Resolve({ suppression: { id, masked_email, reason: suppressedFor } }: { suppression: PlatformSuppression }) {
  const me = useMe().data?.user.username
  /** Answers what to say if a colleague resolved it before: the service answers the same, and keeps the first reason. */
  const resolve = async (resolution_reason: string): Promise<Result<string | undefined>> => {
    const result = await consoleApi.resolvePlatformSuppression({ suppression_id: id, body: { resolution_reason } })
    if (!result.ok) return result
    const asked = { reason: suppressedFor, state: 'resolved', limit: 100 } as const
    const read = await consoleApi.listPlatformSuppressions(asked, { timeoutMs: readTimeoutMs })
    const by = read.ok ? read.data.suppressions.find((one) => one.id === id)?.resolved_by : undefined
    const words = `${by} resolved it before. The record keeps that reason, and not yours`
    return { ...result, data: by && by !== me ? words : undefined }
  }
  return (
    <ActButton
      label="Resolve"
      title={`Resolve the suppression of ${masked_email}?`}
      act="Resolve it"
      isDangerous
      consequences={[
        'Every organization can mail this person again, as far as there is consent.',
        'The reason stays in the record.',
      ]}
      fields={{ reason: { kind: 'long', label: 'Why is this right?' } }}
      run={({ reason }) => resolve(reason)}
      done={(words) => words}
    />
  )
}
