import type { Result } from '@lettergate/client'
import { ActButton } from '../../dialogs/act-button.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { useSenderField } from './use-sender-field.ts'

interface TestRequest<Phrase> {
  sender_identity_id: string
  content_version_id: string
  recipient_email: string
  confirmation: Phrase
}

/** Sends one real email to an address of the list, after the exact phrase. A role that may not do it sees nothing. */
export function TestButton<const Phrase extends string, Output>({
  phrase,
  run,
  ...texts
}: {
  label: string
  title: string
  act: string
  consequences: readonly string[]
  phrase: Phrase
  run: (body: TestRequest<Phrase>, key: string) => Promise<Result<Output>>
}) {
  const { may } = useWorkspace()
  const sender = useSenderField()
  if (!may('send_test')) return null
  return (
    <ActButton
      {...texts}
      phrase={phrase}
      fields={{
        sender,
        content: { kind: 'content', label: 'Version of the content' },
        recipient: { kind: 'text', label: 'Address', about: 'It must be on the list of the deployment.' },
      }}
      run={({ sender, content, recipient }, key) =>
        run(
          {
            sender_identity_id: sender,
            content_version_id: content,
            recipient_email: recipient,
            confirmation: phrase,
          },
          key,
        )
      }
    />
  )
}
