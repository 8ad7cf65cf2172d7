import { ActButton } from '../../dialogs/act-button.tsx'
import { slugField, slugFor } from '../../dialogs/slug.ts'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { spanOf } from '../../parts/duration.ts'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RoleNote } from '../../session/role-note.tsx'
import { useAudiences } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** What people can subscribe to. */
export default function AudiencesPage() {
  const answer = useAudiences()
  return (
    <Page
      title="Audiences"
      about="What people subscribe to. Each has its own consent, and a minimum time between two emails to one person."
      actions={answer.data && answer.data.audiences.length > 0 && <NewAudience />}
    >
      <RoleNote needs="upsert_contacts" />
      <AnswerTable
        label="Audiences"
        roomOf={4}
        answer={answer}
        rowsOf={(data) => data.audiences}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no audience yet" action={<NewAudience />}>
            An audience is one thing that people can say yes to, such as a weekly newsletter. Every campaign and every
            import goes to an audience.
          </Empty>
        }
        columns={[
          {
            title: 'Audience',
            cell: (audience) => (
              <>
                <PageLink to={`/audiences/${audience.id}`}>{audience.name}</PageLink>{' '}
                {audience.is_archived && <StateBadge state="archived" />}
              </>
            ),
          },
          { title: 'Purpose', cell: ({ purpose }) => purpose },
          {
            title: 'Active members',
            isNumber: true,
            cell: (audience) => (
              <PageLink to={`/contacts?audience_id=${audience.id}&member_state=active`}>
                {audience.active_member_count.toLocaleString('en')}
              </PageLink>
            ),
          },
          {
            title: 'At most one email in',
            cell: (audience) => spanOf(audience.minimum_interval_seconds) || 'no limit',
          },
          { title: 'Created', cell: (audience) => <Moment at={audience.created_at} /> },
        ]}
      />
    </Page>
  )
}

function NewAudience() {
  const { api, may } = useWorkspace()
  if (!may('upsert_contacts')) return null
  return (
    <ActButton
      label="Create an audience"
      act="Create it"
      fields={{
        name: { kind: 'text', label: 'Name', about: 'People see it on the page where they unsubscribe.' },
        slug: slugField,
        purpose: { kind: 'long', label: 'Purpose', about: 'What people get, and how often.' },
        minimum_interval_seconds: {
          kind: 'number',
          label: 'Minimum hours between two emails',
          about: 'Also between a campaign and an automation. 0 sets no limit.',
          initial: '24',
        },
      }}
      run={({ name, slug, purpose, minimum_interval_seconds: hours }, key) =>
        api.createAudience({
          body: {
            name,
            slug: slugFor('audience', name, slug, key),
            purpose,
            minimum_interval_seconds: Math.round(Number(hours) * 3_600),
          },
        })
      }
      goesTo={({ audience }) => `/audiences/${audience.id}`}
      button={{ variant: 'filled' }}
    />
  )
}
