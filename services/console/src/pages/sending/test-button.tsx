import type { Result } from '@lettergate/client'
import { ActButton } from '../../dialogs/act-button.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { TestCaps } from './test-caps.tsx'
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
  contentVersionId,
  ...texts
}: {
  label: string
  title: string
  act: string
  consequences: readonly string[]
  phrase: Phrase
  /** chosen at first */
  contentVersionId?: string
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
        sender_identity_id: sender,
        content_version_id: {
          kind: 'content',
          label: 'Version of the content',
          ...(contentVersionId === undefined ? {} : { initial: contentVersionId }),
        },
        recipient_email: {
          kind: 'text',
          label: 'Address',
          about: 'Only addresses that the operators of the deployment allow (TEST_RECIPIENT_ALLOWLIST).',
        },
      }}
      run={(input, key) => run({ ...input, confirmation: phrase }, key)}
    >
      <TestCaps />
    </ActButton>
  )
}
