import type { Stack } from '@lettergate/local/launcher/state'

/** Pulls one of the levers of the local mail provider, below `/sim`. */
export async function tellProvider<T>({ provider_url: origin }: Stack, what: string, body: object): Promise<T> {
  const answer = await fetch(`${origin}/sim/${what}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`the mail provider answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

/** One accepted messages call of the provider's ledger; times in milliseconds since the epoch, by the machine's clock. */
export interface Call {
  number: number
  arrived_at: number
  accepted_at: number
  recipients: number
  /** only where asked for */
  messages?: { to: string; variables: Record<string, string>; events: string[] }[]
}

/** The accepted calls after the one of that number, all of them and in their order. */
export async function callsAfter(
  { provider_url: origin }: Stack,
  number: number,
  { withMessages }: { withMessages: boolean },
): Promise<Call[]> {
  const found: Call[] = []
  for (;;) {
    const after = found.at(-1)?.number ?? number
    // the first number is 0
    const query = `${after < 0 ? '' : `after=${after}&`}messages=${withMessages}&limit=200`
    const answer = await fetch(`${origin}/sim/calls?${query}`)
    const { calls } = (await answer.json()) as { calls: Call[] }
    if (calls.length === 0) return found
    found.push(...calls)
  }
}

/** What the provider has counted since it started. */
export interface ProviderStats {
  /** messages accepted, and how many of them it still knows */
  recipients: number
  stored: number
  events: { pending: number; givenUp: number }
}

export const providerStats = async ({ provider_url: origin }: Stack): Promise<ProviderStats> =>
  (await (await fetch(`${origin}/sim/stats`)).json()) as ProviderStats
