import { Button, Text } from '@mantine/core'
import { Link } from 'wouter'
import { ChoiceFilter, Filters } from '../../parts/filters.tsx'
import { PageLink } from '../../parts/link.tsx'
import { MomentBy } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilters } from '../../parts/use-filter.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { usePages } from '../../session/use-answer.ts'
import { useAudienceNames } from '../../session/use-audience-names.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** All campaigns, newest first. */
export default function CampaignsPage() {
  const { name, console, may } = useWorkspace()
  const filters = useFilters('status')
  const pages = usePages(
    [name, 'campaigns', filters],
    (page, options) => console.listCampaigns({ ...page, ...(filters as object), limit: 50 }, options),
    {
      everyMs: (read) =>
        read.some((page) => page.campaigns.some(({ status }) => status === 'sending')) ? 5_000 : 15_000,
    },
  )
  const { read: audiences, nameOf } = useAudienceNames()
  const hasRows = filters.status !== undefined || (pages.data?.pages[0]?.campaigns.length ?? 0) > 0
  const create = may('edit_content') && (
    <Button component={Link} href="/campaigns/new" size="compact-sm">
      New campaign
    </Button>
  )
  return (
    <Page
      title="Campaigns"
      about="An email to everybody of one or more audiences, at one time."
      actions={
        <>
          <Button component={Link} href="/runs" variant="default" size="compact-sm">
            All runs
          </Button>
          {hasRows && create}
        </>
      }
    >
      <RoleNote needs="edit_content" />
      <Filters>
        <ChoiceFilter name="status" label="Status" choices={['draft', 'scheduled', 'sending', 'sent', 'cancelled']} />
      </Filters>
      {pages.data && <ReadNotices of={[audiences]} />}
      <PagedTable
        label="Campaigns"
        roomOf={4}
        pages={pages}
        rowsOf={(page) => page.campaigns}
        keyOf={({ id }) => id}
        isEndless
        empty={
          filters.status ? (
            <Empty title="No campaign has this status">Choose another status, or clear the filter.</Empty>
          ) : (
            <Empty title="There is no campaign yet" action={create}>
              A campaign is one email to many people. It needs an <PageLink to="/audiences">audience</PageLink>, content
              of a <PageLink to="/templates">template</PageLink>, and a <PageLink to="/sending">sender</PageLink>.
            </Empty>
          )
        }
        columns={[
          {
            title: 'Campaign',
            cell: ({ id, draft }) => <PageLink to={`/campaigns/${id}`}>{draft.name}</PageLink>,
          },
          { title: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
          {
            title: 'To',
            cell: ({ draft }) => (
              <Text size="sm">
                {draft.audience_ids.map(nameOf).join(', ')}
                {draft.tag_filter && ', by tags'}
              </Text>
            ),
          },
          { title: 'Version', isNumber: true, cell: ({ current_version }) => current_version },
          {
            title: 'Changed',
            cell: ({ draft }) => <MomentBy at={draft.created_at} by={draft.created_by} />,
          },
        ]}
      />
    </Page>
  )
}
