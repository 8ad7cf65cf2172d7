import { Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RoleNote } from '../../session/role-note.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { activationPhrase } from './activation-phrase.ts'
import { Connections } from './connections.tsx'
import { Domains } from './domains.tsx'
import { Senders } from './senders.tsx'

/** From the provider to the workspace: everything that must be set up before something can be sent. */
export default function SendingPage() {
  return (
    <Page
      title="Sending"
      about="Set up from top to bottom: the connection to the mail provider, the domain, the sender, and then the workspace."
    >
      <RoleNote needs="manage_senders" />
      <Connections />
      <Domains />
      <Senders />
      <WorkspaceSending />
    </Page>
  )
}

function WorkspaceSending() {
  const { api, console, me, workspace, may } = useWorkspace()
  const isOn = workspace.production_sending_enabled
  const isOwner = workspace.role === 'owner' || me.user.platform_role === 'owner'
  return (
    <Section
      title="This workspace"
      actions={
        may('manage_senders') &&
        (isOn ? (
          <ActButton
            label="Turn sending off"
            act="Turn it off"
            isDangerous
            consequences={[
              'Runs and automations of this workspace stop before the next email, within seconds.',
              'Nothing is lost: they go on when sending is activated again.',
            ]}
            run={() => console.turnWorkspaceSendingOff()}
          />
        ) : (
          isOwner && (
            <ActButton
              label="Activate sending"
              title="Activate production sending?"
              act="Activate sending"
              consequences={[
                'This workspace can send to real people from now on. Nothing is sent by this alone.',
                'It needs a sender on a ready domain, and every gate of the platform open.',
              ]}
              fields={{ quota: { kind: 'check', label: 'I reviewed the quota at the provider' } }}
              phrase={activationPhrase}
              run={() =>
                api.activateWorkspaceSending({ body: { confirmation: activationPhrase, quota_reviewed: true } })
              }
              button={{ variant: 'filled' }}
            />
          )
        ))
      }
    >
      <Text size="sm">
        <StateBadge state={isOn ? 'active' : 'off'} />{' '}
        {isOn ? 'This workspace may send.' : 'Nothing is sent from this workspace. An owner activates it.'}
      </Text>
    </Section>
  )
}
