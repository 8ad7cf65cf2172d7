import type { Operator, OperatorRole } from '@lettergate/client/console'
import { Alert, Group, Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { inWords } from '../../parts/words.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { abilities, roles } from './abilities.ts'

/** The roles that the user may give. Only owners make, change and remove owners. */
function useRoleChoices() {
  const { workspace } = useWorkspace()
  return roles
    .filter((role) => workspace.role === 'owner' || role !== 'owner')
    .map((value) => ({ value, label: inWords(value) }))
}

/** Who works in this workspace, and what each role can do. */
export default function TeamPage() {
  const { may } = useWorkspace()
  return (
    <Page title="Team" about="Everybody signs in with the identity wallet. The role decides what they can do here.">
      {may('manage_team_roles') ? (
        <Members />
      ) : (
        <Alert color="gray">Owners and brand admins see and change who belongs to the workspace.</Alert>
      )}
      <Section title="What can each role do?" isPlain>
        <DataTable
          label="What each role can do"
          roomOf={3}
          rows={abilities}
          keyOf={({ title }) => title}
          empty=""
          columns={[
            { title: 'Ability', cell: ({ title }) => title },
            ...roles.map((role) => ({
              title: inWords(role),
              cell: (ability: (typeof abilities)[number]) => (ability.roles.includes(role) ? 'yes' : '–'),
            })),
          ]}
        />
      </Section>
    </Page>
  )
}

function Members() {
  const { name, console } = useWorkspace()
  const choices = useRoleChoices()
  const answer = useAnswer([name, 'operators'], (options) => console.listOperators({}, options))
  return (
    <Section
      title="Members"
      isPlain
      actions={
        <ActButton
          label="Add a member"
          act="Add the member"
          consequences={['They have access from their next request on.']}
          fields={{
            wallet_user_id: { kind: 'text', label: 'Wallet user id', about: 'They see it after signing in.' },
            username: { kind: 'text', label: 'Name', about: 'Shown until they sign in.', isRequired: false },
            role: { kind: 'choice', label: 'Role', initial: 'analyst', choices },
          }}
          run={({ wallet_user_id, username, role }) =>
            console.addOperator({
              body: { wallet_user_id, role: role as OperatorRole, ...(username ? { username } : {}) },
            })
          }
          button={{ variant: 'filled' }}
        />
      }
    >
      <AnswerTable
        label="Members"
        answer={answer}
        rowsOf={(data) => data.operators}
        keyOf={({ wallet_user_id }) => wallet_user_id}
        empty="Nobody"
        columns={[
          {
            title: 'Member',
            cell: (row) => (
              <>
                <Text size="sm" fw={600}>
                  {row.username ?? row.wallet_user_id}
                </Text>
                <Text size="xs" c="dimmed">
                  {[
                    row.username === null || row.username === row.wallet_user_id ? '' : row.wallet_user_id,
                    row.identity_type === 'agent' ? 'an agent' : '',
                  ]
                    .filter(Boolean)
                    .join(', ')}
                </Text>
              </>
            ),
          },
          { title: 'Role', cell: (row) => inWords(row.role) },
          { title: 'Change', cell: (row) => <Acts member={row} /> },
        ]}
      />
    </Section>
  )
}

function Acts({ member }: { member: Operator }) {
  const { name, console, me } = useWorkspace()
  const { wallet_user_id } = member
  const choices = useRoleChoices()
  const isSelf = wallet_user_id === me.user.wallet_user_id
  const who = member.username ?? wallet_user_id
  if (!choices.some(({ value }) => value === member.role)) return <>Only owners can</>
  return (
    <Group gap="xs" wrap="nowrap">
      <ActButton
        label="Role"
        title={`The role of ${who}`}
        act="Change the role"
        consequences={[
          'It holds from the next request on.',
          ...(isSelf ? ['This is you: you may lose access to this page.'] : []),
        ]}
        fields={{ role: { kind: 'choice', label: 'Role', initial: member.role, choices } }}
        run={({ role }) => console.setOperatorRole({ wallet_user_id, body: { role: role as OperatorRole } })}
      />
      {isSelf ? (
        <ActButton
          label="Leave"
          title={`Leave ${name}?`}
          act="Leave the workspace"
          isDangerous
          consequences={[
            `You lose access to ${name} at once. Only an owner or a brand admin of it can add you again.`,
            'The last owner cannot leave. What you did stays in the audit log.',
          ]}
          phrase={name}
          run={() => console.removeOperator({ wallet_user_id })}
        />
      ) : (
        <ActButton
          label="Remove"
          title={`Remove ${who}?`}
          act="Remove the member"
          isDangerous
          consequences={[
            'They lose access at once. What they did stays in the audit log.',
            'The last owner cannot be removed.',
          ]}
          run={() => console.removeOperator({ wallet_user_id })}
        />
      )}
    </Group>
  )
}
