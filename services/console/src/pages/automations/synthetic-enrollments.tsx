import { dataOf, type Automation, type AutomationVersion } from '@lettergate/client'
import { Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Section } from '../../parts/section.tsx'
import { useTags } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The rehearsal that contacts of the console are bound to. */
const rehearsal = 'console'

/** The only workspaces with synthetic contacts. The service checks it again. */
const isSynthetic = (workspace: string) => /\/synthetic-/.test(workspace)

/** Takes a contact who does not exist through a version: a year at once with a virtual clock, or in real time. */
export function SyntheticEnrollments({ automation, version }: { automation: Automation; version: AutomationVersion }) {
  const { name, me, may, api, console } = useWorkspace()
  const tags = useTags()
  if (!may('edit_automations') || automation.status === 'archived') return null
  if (!isSynthetic(name)) return <ElsewhereNote workspaces={me.workspaces} />
  const at = { automation_id: automation.id, version_id: version.id }
  const person = {
    email: {
      kind: 'text',
      label: 'Address',
      about: 'It must end in .invalid, so that it cannot exist. A new address makes a new contact.',
      initial: 'reader@rehearsal.invalid',
    },
    tags: {
      kind: 'choices',
      label: 'Tags of the contact',
      read: tags,
      about: 'They replace its tags, and decide which branch it takes.',
      isRequired: false,
      choices: (tags.data?.tags ?? []).map((tag) => ({ value: tag.name, label: tag.name })),
    },
  } as const
  const contactOf = async (input: { email: string; tags: string[] }) => {
    const body = { ...input, source: 'console', source_metadata: { synthetic_context_id: rehearsal } }
    const { contact } = dataOf(await api.upsertContact({ body }))
    return { contact_id: contact.id, synthetic_context_id: rehearsal }
  }
  const pageOf = ({ enrollment }: { enrollment: { id: string } }) => `/enrollments/${enrollment.id}`
  return (
    <Section
      title="Rehearse this version"
      about="A contact who does not exist goes through the steps. No email is sent: each is simulated."
    >
      <Text size="sm">
        With a virtual clock every wait ends at once, so that you see a year in a second, and the contact does not
        change. In real time the contact waits as a reader would, and the steps change it.
      </Text>
      <div>
        <ActButton
          label="Run with a virtual clock"
          act="Run it"
          consequences={['Nothing changes but the list of enrollments. The same input gives the same timeline again.']}
          fields={{
            ...person,
            start: { kind: 'moment', label: 'The clock begins at', initial: new Date().toISOString() },
          }}
          run={async ({ start, ...input }, idempotency_key) =>
            console.runSyntheticEnrollment({
              ...at,
              idempotency_key,
              body: { ...(await contactOf(input)), starts_at: start },
            })
          }
          goesTo={pageOf}
          button={{ variant: 'filled', mr: 'xs' }}
        />
        {automation.status === 'published' && (
          <ActButton
            label="Enroll in real time"
            act="Enroll it"
            consequences={[
              'The steps change the contact who does not exist: its tags, score and fields.',
              'Nobody can pause, resume or cancel it in an archived workspace. It ends by itself.',
            ]}
            fields={person}
            run={async (input, idempotency_key) =>
              api.createSyntheticEnrollment({ ...at, idempotency_key, body: await contactOf(input) })
            }
            goesTo={pageOf}
          />
        )}
      </div>
    </Section>
  )
}

/** Where it can be rehearsed; nothing for a user without such a workspace. */
function ElsewhereNote({ workspaces }: { workspaces: readonly { organization: string; workspace: string }[] }) {
  const lab = workspaces.map((one) => `${one.organization}/${one.workspace}`).find(isSynthetic)
  if (lab === undefined) return null
  return (
    <Text size="sm" c="dimmed">
      A year of an automation can be rehearsed with contacts who do not exist, in{' '}
      <PageLink to={`~/console/w/${lab}/automations`}>{lab}</PageLink>.
    </Text>
  )
}
