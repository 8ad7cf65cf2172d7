import type { Scene } from './scene.ts'

export interface Faults {
  mode: 'none' | 'rate_limit'
  /** so many calls for messages still go through */
  after_calls?: number
}

/** Tells the local mail provider how to treat the calls from now on. */
export async function setFaults({ stack }: Scene, faults: Faults): Promise<void> {
  const answer = await fetch(`${stack.provider_url}/sim/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  })
  if (!answer.ok) throw new Error(`the local mail provider refused ${JSON.stringify(faults)}: ${await answer.text()}`)
}
