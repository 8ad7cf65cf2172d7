import type { Source } from '@lettergate/client/console'
import { ActButton } from '../../dialogs/act-button.tsx'
import { slugField, slugFor } from '../../dialogs/slug.ts'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RoleNote } from '../../session/role-note.tsx'
import { useShownOnce } from '../../session/shown-once.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useAudienceNames } from '../../session/use-audience-names.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { CredentialOnce } from './credential-once.tsx'

/** Sign-up forms outside of Lettergate. */
export default function SourcesPage() {
  const { name, api, console, may } = useWorkspace()
  const [shown, show] = useShownOnce<{ source: Source; credential: string }>(({ source }) => ({
    text: `The credential of ${source.slug} was not shown, because you left the page. Rotate it to get another one.`,
    at: `/sources/${source.slug}`,
  }))
  const mayManage = may('manage_subscription_sources')
  const answer = useAnswer([name, 'sources'], (options) => api.listSubscriptionSources({}, options), {
    enabled: mayManage,
  })
  const { read: audiences, nameOf } = useAudienceNames()
  const create = (
    <ActButton
      label="Add a source"
      act="Add it"
      consequences={['Its credential is shown once. Give it to the server of the form, never to a browser.']}
      fields={{
        display_name: { kind: 'text', label: 'Name', placeholder: 'Website footer' },
        slug: slugField,
        allowed_origins: {
          kind: 'tags',
          label: 'Allowed origins',
          about: 'Such as https://www.example.org. Press Enter after each.',
        },
        allowed_audience_ids: {
          kind: 'choices',
          label: 'Audiences',
          read: audiences,
          about: 'Which ones it may subscribe people to.',
          isRequired: false,
          choices: (audiences.data?.audiences ?? [])
            .filter((one) => !one.is_archived)
            .map((one) => ({ value: one.id, label: one.name })),
        },
        all: {
          kind: 'check',
          label: 'All audiences',
          about: 'Also those that are created later.',
          isRequired: false,
        },
      }}
      run={({ display_name, slug, allowed_origins, allowed_audience_ids, all }, key) =>
        console.createSubscriptionSourceWithCredential({
          body: {
            display_name,
            slug: slugFor('source', display_name, slug, key),
            allowed_origins,
            ...(all ? { allows_all_audiences: true } : { allowed_audience_ids }),
          },
        })
      }
      onDone={show}
      button={{ variant: 'filled' }}
    />
  )
  return (
    <Page
      title="Sources"
      about="The servers of sign-up forms submit consents here, each with its own credential, origins and audiences."
      actions={answer.data && answer.data.sources.length > 0 && create}
    >
      <RoleNote needs="manage_subscription_sources" isHidden />
      {shown && <CredentialOnce {...shown} onClose={() => show(null)} />}
      {mayManage && answer.data && <ReadNotices of={[audiences]} />}
      {mayManage && (
        <AnswerTable
          label="Sources"
          answer={answer}
          rowsOf={(data) => data.sources}
          keyOf={({ id }) => id}
          empty={
            <Empty title="There is no source yet" action={create}>
              A source is a form where people sign up, such as the footer of a website. The server of the form gets a
              credential, and every sign-up arrives here with its consent.
            </Empty>
          }
          columns={[
            { title: 'Source', cell: (row) => <PageLink to={`/sources/${row.slug}`}>{row.display_name}</PageLink> },
            { title: 'Status', cell: (row) => <StateBadge state={row.status} /> },
            {
              title: 'Audiences',
              cell: (row) => (row.allows_all_audiences ? 'all' : row.allowed_audience_ids.map(nameOf).join(', ')),
            },
            { title: 'Origins', cell: (row) => row.allowed_origins.join(', ') },
          ]}
        />
      )}
    </Page>
  )
}
