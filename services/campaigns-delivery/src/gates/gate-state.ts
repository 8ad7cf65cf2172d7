import type { GetGatesResponse } from '@lettergate/contracts/identity/v1/identity'

/** The platform gate that stands before every real email. */
export const productionGate = 'production_sending_enabled'

/** A platform gate: open, or closed by the environment of the deployment (whatever its switch says), or by its switch. */
export type GateState = 'open' | 'below_ceiling' | 'switched_off'

/** What identity says of a gate. One that it does not name is closed. */
export function gateState(
  { effective, ceilings }: Pick<GetGatesResponse, 'effective' | 'ceilings'>,
  name: string,
): GateState {
  if (effective[name] === true) return 'open'
  return ceilings[name] === false ? 'below_ceiling' : 'switched_off'
}
