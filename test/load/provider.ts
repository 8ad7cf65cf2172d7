import type { Stack } from '@lettergate/local/launcher/state'

/** Calls a control route of the local mail provider, `PUT /sim/…`. */
export async function configureProvider<T>({ provider_url: origin }: Stack, what: string, body: object): Promise<T> {
  const answer = await fetch(`${origin}/sim/${what}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`the mail provider answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

/** One accepted messages call in the provider's ledger. Times are milliseconds since the epoch. */
export interface AcceptedCall {
  number: number
  arrived_at: number
  accepted_at: number
  recipients: number
  /** only with `withMessages` */
  messages?: { to: string; variables: Record<string, string>; events: string[] }[]
}

/** All accepted calls after the call with this number, in their order. */
export async function callsAfter(
  { provider_url: origin }: Stack,
  number: number,
  { withMessages }: { withMessages: boolean },
): Promise<AcceptedCall[]> {
  const found: AcceptedCall[] = []
  for (;;) {
    const after = found.at(-1)?.number ?? number
    // the first number is 0
    const query = `${after < 0 ? '' : `after=${after}&`}messages=${withMessages}&limit=200`
    const answer = await fetch(`${origin}/sim/calls?${query}`)
    const { calls } = (await answer.json()) as { calls: AcceptedCall[] }
    if (calls.length === 0) return found
    found.push(...calls)
  }
}

/** The counts of the provider since its start. */
export interface ProviderStats {
  /** accepted messages, and those of them that are still stored */
  recipients: number
  stored: number
  events: { pending: number; givenUp: number }
}

export const providerStats = async ({ provider_url: origin }: Stack): Promise<ProviderStats> =>
  (await (await fetch(`${origin}/sim/stats`)).json()) as ProviderStats
