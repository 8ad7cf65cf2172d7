import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** Everybody who is or was in an automation. */
export function Enrollments({ automationId }: { automationId: string }) {
  const { name, console } = useWorkspace()
  const pages = usePages([name, 'enrollments', automationId], (page, options) =>
    console.listEnrolledContacts({ ...page, automation_id: automationId, limit: 50 }, options),
  )
  return (
    <Section title="People in it" isPlain>
      <PagedTable
        label="Enrollments"
        pages={pages}
        rowsOf={(page) => page.enrollments}
        keyOf={({ id }) => id}
        isEndless
        empty={
          <Empty title="Nobody was enrolled yet">A published automation enrolls contacts when its trigger fires.</Empty>
        }
        columns={[
          {
            title: 'Person',
            cell: (row) => <PageLink to={`/enrollments/${row.id}`}>{row.email ?? 'a deleted contact'}</PageLink>,
          },
          { title: 'Enrolled', cell: (row) => <Moment at={row.enrolled_at} /> },
          { title: 'State', cell: (row) => <StateBadge state={row.state} /> },
          { title: 'At', cell: (row) => (row.current_node_key ? <code>{row.current_node_key}</code> : '–') },
          { title: 'Emails', isNumber: true, cell: (row) => row.provider_calls },
          { title: 'Completed', cell: (row) => <Moment at={row.completed_at} /> },
          { title: 'Kind', cell: (row) => (row.synthetic ? 'rehearsal' : 'real') },
        ]}
      />
    </Section>
  )
}
