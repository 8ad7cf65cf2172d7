import type { DetailedCampaignWithRunsResponse, DetailedDraft } from '@lettergate/client/console'
import { Suspense } from 'react'
import { DataTable } from '../../parts/data-table.tsx'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { OtherVersion, useOtherVersion } from '../../parts/other-version.tsx'
import { PageLoading } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useAudiences, useSenders } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { draftDifferences } from './draft-differences.ts'

const ContentDifferences = lazyPart(() => import('../templates/content-differences.tsx'))

/** What the current draft changed, against the version before it or another one. Nothing while there is only one. */
export function DraftChanges({ data: { campaign, versions, runs } }: { data: DetailedCampaignWithRunsResponse }) {
  const { draft } = campaign
  const other = useOtherVersion(versions, draft)
  const scheduled = new Set(runs.map((run) => run.draft_version))
  if (other.others.length === 0) return null
  return (
    <Section title={`Changes in version ${draft.version}`}>
      <OtherVersion
        {...other}
        labelOf={({ version, name }) => `${version}: ${name}${scheduled.has(version) ? ' (was scheduled)' : ''}`}
      />
      {other.before && <Differences before={other.before} after={draft} />}
    </Section>
  )
}

function Differences({ before, after }: { before: DetailedDraft; after: DetailedDraft }) {
  const audiences = useAudiences()
  const senders = useSenders()
  const [old, current] = [useContent(before.content_version_id), useContent(after.content_version_id)]
  const [was, is] = [old.data?.content_version, current.data?.content_version]
  const reads = [audiences, senders, old, current]
  if (!audiences.data || !senders.data || !was || !is)
    return (
      <FailedReads of={reads}>
        <PageLoading />
      </FailedReads>
    )
  const names = new Map<string, string>([
    ...audiences.data.audiences.map(({ id, name }) => [id, name] as const),
    ...senders.data.sender_identities.map((one) => [one.id, `${one.display_name} <${one.from_address}>`] as const),
    ...[was, is].map(({ id, version, subject }) => [id, `${subject} (version ${version})`] as const),
  ])
  return (
    <>
      <DataTable
        label="Changes"
        rows={draftDifferences(before, after, (id) => names.get(id) ?? 'deleted')}
        keyOf={({ of }) => of}
        empty="Both versions are the same"
        columns={[
          { title: 'What', cell: (row) => row.of },
          { title: 'Before', cell: (row) => (row.before ? <del>{row.before}</del> : '–') },
          { title: 'After', cell: (row) => (row.after ? <ins>{row.after}</ins> : '–') },
        ]}
      />
      {was.id !== is.id && (
        <Suspense fallback={<PageLoading />}>
          <ContentDifferences before={was} after={is} />
        </Suspense>
      )}
    </>
  )
}

function useContent(id: string) {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'content', id], (options) => console.getContentVersion({ content_version_id: id }, options))
}
