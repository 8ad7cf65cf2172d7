import { expect } from '@jest/globals'
import type { OwnStack } from './own-stack.ts'

interface ProviderEvent {
  connectionId: string
  messageId: string
  email: string
  event: string
}

/** Makes the provider post one signed event about a message; its reason quotes the address. */
export async function postProviderEvent(stack: ReturnType<OwnStack['stack']>, about: ProviderEvent): Promise<void> {
  const { connectionId, messageId, email, event } = about
  const answer = await fetch(`${stack.provider_url}/sim/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      connection_webhook_url: `${stack.base_url}/webhooks/mailprovider/${connectionId}`,
      event,
      recipient: email,
      reason: `550 <${email}> is not here`,
      message_id: `20260101.${email}`,
      user_variables: { message_id: messageId },
    }),
  })
  expect(answer.status).toBe(200)
}
