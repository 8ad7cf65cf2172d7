import type { Automation } from '@lettergate/client'
import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { ActButton } from '../../dialogs/act-button.tsx'
import { useWorkspace } from '../../session/workspace.tsx'

/** What can be done to an automation in its status. */
export function AutomationActs({ automation }: { automation: Automation }) {
  const { api, console, may } = useWorkspace()
  const { status, selected_version: version } = automation
  const automation_id = automation.id
  if (!may('edit_automations')) return null
  return (
    <>
      {status !== 'archived' && (
        <Button component={Link} href={`/automations/${automation_id}/edit`} size="compact-sm" variant="default">
          Edit
        </Button>
      )}
      {status === 'draft' && (
        <ActButton
          label="Mark as reviewed"
          title={`Mark version ${version.version} as ready?`}
          act="Mark as reviewed"
          consequences={['You have read every step of this version. It can be published afterwards.']}
          run={() =>
            api.markAutomationReadyForReview({
              automation_id,
              body: { version_id: version.id, definition_checksum: version.definition_checksum },
            })
          }
        />
      )}
      {(status === 'ready_for_review' || status === 'paused') && (
        <ActButton
          label="Publish"
          title={`Publish version ${version.version} of ${automation.name}?`}
          act="Publish it"
          consequences={[
            'From now on its trigger enrolls contacts. A trigger that fired before enrolls nobody.',
            'Contacts who were held go on.',
            'Emails are sent when the gates are open and the contact may be mailed.',
          ]}
          run={() => console.publishAutomation({ automation_id, body: { expected_version: version.version } })}
          button={{ variant: 'filled' }}
        />
      )}
      {status === 'published' && (
        <ActButton
          label="Pause"
          title={`Pause ${automation.name}?`}
          act="Pause it"
          isDangerous
          consequences={[
            'Nobody is enrolled any more. People who join meanwhile are not enrolled later.',
            'Contacts who are in it stay where they are until it is published again.',
          ]}
          run={() => console.pauseAutomation({ automation_id })}
        />
      )}
      {status === 'archived' ? (
        <ActButton
          label="Restore"
          title={`Restore ${automation.name}?`}
          act="Restore it"
          consequences={['It is a draft again.']}
          run={() => api.restoreAutomation({ automation_id })}
        />
      ) : (
        <ActButton
          label="Archive"
          title={`Archive ${automation.name}?`}
          act="Archive it"
          isDangerous
          consequences={[
            ...(status === 'published'
              ? ['Nobody is enrolled any more. Contacts who are in it stay where they are.']
              : []),
            'It cannot be published while it is archived. It can be restored as a draft.',
          ]}
          run={() => api.archiveAutomation({ automation_id })}
        />
      )}
    </>
  )
}
