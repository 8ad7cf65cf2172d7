import type { Scene } from './scene.ts'

export interface ProviderFaults {
  mode: 'none' | 'rate_limit'
  /** this many calls for messages still succeed */
  after_calls?: number
}

/** Sets the faults of the local mail provider for all later calls. */
export async function setFaults({ stack }: Scene, faults: ProviderFaults): Promise<void> {
  const answer = await fetch(`${stack.provider_url}/sim/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  })
  if (!answer.ok) throw new Error(`the local mail provider refused ${JSON.stringify(faults)}: ${await answer.text()}`)
}
