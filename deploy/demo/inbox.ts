import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@lettergate/local/launcher/state'

/** A message as the local provider delivered it. */
export interface Message {
  subject: string
  html: string
  headers: Record<string, string>
  variables: Record<string, string>
}

/** The messages to one person in the local provider's inbox, newest first. */
export async function inboxOf(stack: Pick<Stack, 'provider_url'>, email: string, limit = 100): Promise<Message[]> {
  const answer = await fetch(`${stack.provider_url}/sim/messages?limit=${limit}&to=${encodeURIComponent(email)}`)
  return ((await answer.json()) as { messages: Message[] }).messages
}

/** The messages to one person. Waits for the first one, at most two minutes. */
export async function arrived(stack: Pick<Stack, 'provider_url'>, email: string): Promise<Message[]> {
  for (const end = Date.now() + 120_000; ; await sleep(200)) {
    const messages = await inboxOf(stack, email)
    if (messages.length > 0 || Date.now() > end) return messages
  }
}

/** The newest message to one person in the local provider's inbox. */
export async function messageTo(stack: Pick<Stack, 'provider_url'>, email: string): Promise<Message> {
  const [newest] = await inboxOf(stack, email, 1)
  if (!newest) throw new Error(`no message arrived for ${email}`)
  return newest
}
