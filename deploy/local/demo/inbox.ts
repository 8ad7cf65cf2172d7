import type { Stack } from '../launcher/state.ts'

/** A message as it arrived. */
export interface Message {
  subject: string
  html: string
  headers: Record<string, string>
  variables: Record<string, string>
}

/** The newest message of one person in the local provider's inbox. */
export async function messageTo(stack: Pick<Stack, 'provider_url'>, email: string): Promise<Message> {
  const { messages } = (await (
    await fetch(`${stack.provider_url}/sim/messages?limit=1&to=${encodeURIComponent(email)}`)
  ).json()) as { messages: Message[] }
  if (!messages[0]) throw new Error(`no message arrived for ${email}`)
  return messages[0]
}
