import type { BrowserSession } from '@lettergate/client/console'
import { Badge } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Copied } from '../../parts/copy-button.tsx'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { inWords } from '../../parts/words.ts'
import { consoleApi } from '../../session/clients.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useMe } from '../../session/use-me.ts'

const sessionColumns = [
  { title: 'Signed in', cell: ({ signed_in_at }: BrowserSession) => <Moment at={signed_in_at} /> },
  { title: 'Last used', cell: ({ last_used_at }: BrowserSession) => <Moment at={last_used_at} /> },
  { title: 'Ends at the latest', cell: ({ ends_at }: BrowserSession) => <Moment at={ends_at} /> },
  {
    title: 'Browser',
    cell: (session: BrowserSession) =>
      session.is_current ? (
        <Badge variant="outline" tt="none" c="var(--mantine-color-text)">
          This one
        </Badge>
      ) : (
        <ActButton
          label="End it"
          title="End this session"
          consequences={['That browser is signed out with its next request. What it typed and did not save is lost.']}
          isDangerous
          run={() => consoleApi.endSession({ session_id: session.id })}
        />
      ),
  },
]

/** Who the user is, what they belong to, and where they are signed in. */
export default function ProfilePage() {
  const me = useMe()
  const sessions = useAnswer(['sessions'], (options) => consoleApi.listSessions({}, options), { everyMs: 60_000 })
  return (
    <Page
      title="Your profile"
      about="Your name comes from the identity wallet. Owners and brand admins of a workspace set your role in it; only owners make, change and remove owners."
    >
      <Loaded answer={me}>
        {(data) =>
          data && (
            <>
              <Section title="You">
                <Facts
                  of={[
                    ['Name', data.user.username],
                    ['Wallet user id', <Copied key="id" value={data.user.wallet_user_id} of="the wallet user id" />],
                    ['Kind', inWords(data.user.identity_type)],
                    ['Role on the platform', data.user.platform_role && inWords(data.user.platform_role)],
                  ]}
                />
              </Section>
              <Section title="Workspaces" isPlain>
                <DataTable
                  label="Workspaces"
                  rows={data.workspaces}
                  keyOf={({ organization, workspace }) => `${organization}/${workspace}`}
                  empty="You belong to no workspace"
                  columns={[
                    {
                      title: 'Workspace',
                      cell: ({ organization, workspace, is_archived }) => (
                        <>
                          <PageLink to={`/w/${organization}/${workspace}`}>
                            {organization}/{workspace}
                          </PageLink>
                          {is_archived && ', archived'}
                        </>
                      ),
                    },
                    { title: 'Role', cell: ({ role }) => inWords(role) },
                  ]}
                />
              </Section>
            </>
          )
        }
      </Loaded>
      <Section
        title="Sessions"
        about="The browsers in which you are signed in. If you do not know one, end it, and change the password of your wallet."
        isPlain
      >
        <AnswerTable
          label="Sessions"
          answer={sessions}
          rowsOf={(data) => data.sessions}
          keyOf={({ id }) => id}
          empty="There is no session"
          columns={sessionColumns}
        />
      </Section>
    </Page>
  )
}
