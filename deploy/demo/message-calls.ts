import type { Stack } from '@lettergate/local/launcher/state'

/** How many calls with messages the local mail provider has counted. Other calls, such as those about domains, are not among them. */
export async function messageCalls({ provider_url: url }: Pick<Stack, 'provider_url'>): Promise<number> {
  const answer = await fetch(`${url}/sim/stats`)
  return ((await answer.json()) as { message_calls: number }).message_calls
}
