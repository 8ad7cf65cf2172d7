import type { ContactEnrollment, ContactMessage } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { explained } from '../../parts/explanations.ts'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { thenInWords } from '../../parts/then-in-words.ts'
import { AutomationLink } from '../../session/automation-link.tsx'
import { usePages } from '../../session/use-answer.ts'
import { useAudiences, useAutomations } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The automations that a contact is or was in. */
export function ContactEnrollments({ contactId }: { contactId: string }) {
  const { name, console } = useWorkspace()
  const pages = usePages([name, 'contact-enrollments', contactId], (page, options) =>
    console.listContactEnrollments({ ...page, contact_id: contactId, limit: 50 }, options),
  )
  return (
    <Section title="Automations" isPlain>
      <PagedTable
        label="Enrollments of the contact"
        pages={pages}
        rowsOf={(page) => page.enrollments}
        keyOf={({ id }) => id}
        empty={<Empty title="It is in no automation">A published automation enrolls it when its trigger fires.</Empty>}
        columns={[
          {
            title: 'Automation',
            cell: (row) => <PageLink to={`/automations/${row.automation_id}`}>{row.automation_name}</PageLink>,
          },
          { title: 'State', cell: (row) => <StateBadge state={row.state} /> },
          { title: 'At', cell: (row) => (row.current_node_key ? <code>{row.current_node_key}</code> : '–') },
          { title: 'Since', cell: (row) => <Moment at={row.at_node_since ?? row.ended_at ?? row.enrolled_at} /> },
          { title: 'Why', cell: (row) => <Why enrollment={row} /> },
          { title: 'Enrolled', cell: (row) => <Moment at={row.enrolled_at} /> },
          { title: 'Kind', cell: (row) => (row.synthetic ? 'rehearsal' : 'real') },
          { title: 'History', cell: (row) => <PageLink to={`/enrollments/${row.id}`}>See each step</PageLink> },
        ]}
      />
    </Section>
  )
}

/** Why an enrollment ended, or what it waits for. */
function Why({
  enrollment: { state, waits_until, waiting_reason, end_reason, ended_by },
}: {
  enrollment: ContactEnrollment
}) {
  if (waiting_reason) return <Text size="sm">{explained(waiting_reason).means}</Text>
  if (state === 'waiting' && waits_until)
    return (
      <Text size="sm">
        until <Moment at={waits_until} />
      </Text>
    )
  if (!end_reason && (!ended_by || ended_by === 'system')) return <>–</>
  const words = end_reason && ended_by === 'system' ? explained(end_reason).means : end_reason
  return (
    <Text size="sm">{[words, ended_by && ended_by !== 'system' && `by ${ended_by}`].filter(Boolean).join(', ')}</Text>
  )
}

/** What was sent to a contact, and what became of it. */
export function ContactMessages({ contactId }: { contactId: string }) {
  const { name, console } = useWorkspace()
  const pages = usePages([name, 'contact-messages', contactId], (page, options) =>
    console.listContactMessages({ ...page, contact_id: contactId, limit: 50 }, options),
  )
  const audiences = useAudiences()
  const automations = useAutomations()
  return (
    <Section
      title="Emails"
      about={
        <>
          What campaigns and automations made for this person, the newest first. Test sends are under{' '}
          <PageLink to="/testing">Test and rehearse</PageLink>.
        </>
      }
      isPlain
    >
      {pages.data && <ReadNotices of={[audiences, automations]} />}
      <PagedTable
        label="Emails to the contact"
        pages={pages}
        rowsOf={(page) => page.messages}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No email was made for this contact">A campaign or an automation sends the first one.</Empty>
        }
        columns={[
          { title: 'Subject', cell: (row) => row.subject },
          { title: 'Sent by', cell: (row) => <Origin message={row} /> },
          {
            title: 'Audience',
            cell: ({ audience_id }) =>
              audiences.data ? (audiences.data.audiences.find(({ id }) => id === audience_id)?.name ?? '–') : '…',
          },
          { title: 'Handed off', cell: (row) => <Moment at={row.handed_off_at} /> },
          { title: 'Result', cell: (row) => <StateBadge state={row.state} /> },
          {
            title: 'Why',
            cell: (row) => (
              <Text size="sm">{row.reasons.map((reason) => explained(reason).means).join(' ') || '–'}</Text>
            ),
          },
          { title: 'Then', cell: thenInWords },
        ]}
      />
    </Section>
  )
}

/** The run of a campaign, or the automation and the way of the contact through it. */
const Origin = ({ message: { run_id, campaign_name, automation_id, enrollment_id } }: { message: ContactMessage }) =>
  automation_id ? (
    <Text size="sm">
      <AutomationLink id={automation_id} />, <PageLink to={`/enrollments/${enrollment_id}`}>each step</PageLink>
    </Text>
  ) : (
    <PageLink to={`/runs/${run_id}`}>{campaign_name ?? 'A campaign'}</PageLink>
  )
