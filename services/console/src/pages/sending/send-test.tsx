import { useWorkspace } from '../../session/workspace.tsx'
import { TestButton } from './test-button.tsx'

/** Sends a test email, of this content version unless another one is chosen. */
export function SendTest({ contentVersionId }: { contentVersionId?: string }) {
  const { api } = useWorkspace()
  return (
    <TestButton
      label="Send a test"
      title="Send a test email"
      act="Send it"
      consequences={['One real email is sent. It is never sent twice.']}
      {...(contentVersionId === undefined ? {} : { contentVersionId })}
      phrase="SEND TEST EMAIL"
      run={(body, idempotency_key) => api.createTestSend({ idempotency_key, body })}
    />
  )
}
