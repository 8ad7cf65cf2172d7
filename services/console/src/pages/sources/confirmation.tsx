import { Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageLink } from '../../parts/link.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useSenders } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useSenderField } from '../sending/use-sender-field.ts'

/** Whether a person confirms each sign-up of a source by an email, and which email that is. */
export function Confirmation({ slug }: { slug: string }) {
  const { name, console } = useWorkspace()
  const sender = useSenderField()
  const answer = useAnswer([name, 'source-confirmation', slug], (options) =>
    console.getSourceConfirmation({ source_slug: slug }, options),
  )
  const confirmation = answer.data?.confirmation
  return (
    <Section
      title="Confirmation by email"
      actions={
        answer.data && (
          <>
            <ActButton
              label={confirmation ? 'Change the email' : 'Ask for a confirmation'}
              act="Ask for it"
              consequences={[
                'From now on a sign-up counts only after the person pressed the button of the page in the email, within 7 days.',
                'The content must link to {{ confirmation_url }}. The email is sent under the gates of sending.',
              ]}
              fields={{
                sender_identity_id: sender,
                content_version_id: { kind: 'content', label: 'Version of the content' },
              }}
              run={(body) => console.setSourceConfirmation({ source_slug: slug, body })}
            />
            {confirmation && (
              <ActButton
                label="Accept sign-ups at once"
                act="Accept them at once"
                isDangerous
                consequences={[
                  'Nobody proves any more that the address is theirs: somebody can sign up another person.',
                  'Sign-ups that wait can still be confirmed.',
                ]}
                run={() => console.removeSourceConfirmation({ source_slug: slug })}
              />
            )}
          </>
        )
      }
    >
      <Loaded answer={answer}>
        {(data) =>
          data.confirmation ? (
            <Email {...data.confirmation} />
          ) : (
            <Text size="sm">
              Off: a sign-up counts at once, without a proof that the address belongs to the person.
            </Text>
          )
        }
      </Loaded>
    </Section>
  )
}

function Email({ sender_identity_id, content_version_id }: { sender_identity_id: string; content_version_id: string }) {
  const { name, console } = useWorkspace()
  const senders = useSenders()
  const sender = senders.data?.sender_identities.find(({ id }) => id === sender_identity_id)
  const answer = useAnswer([name, 'content', content_version_id], (options) =>
    console.getContentVersion({ content_version_id }, options),
  )
  const content = answer.data?.content_version
  return (
    <>
      <ReadNotices of={[answer, senders]} />
      <Text size="sm">
        On: “
        {content ? (
          <PageLink to={`/templates/${content.template_id}?version=${content.id}`}>{content.subject}</PageLink>
        ) : (
          '…'
        )}
        ” from {sender ? `${sender.display_name} <${sender.from_address}>` : '…'}.
      </Text>
    </>
  )
}
