import type { GetGatesResponse } from '@lettergate/contracts/identity/v1/identity'

/** The platform gate for production email. */
export const productionGate = 'production_sending_enabled'

/** A platform gate: open, closed by the environment of the deployment, or closed by its switch. */
export type GateState = 'open' | 'below_ceiling' | 'switched_off'

/** Returns the state of a gate by the answer of identity. A gate that is not in the answer is closed. */
export function gateState(
  { effective, ceilings }: Pick<GetGatesResponse, 'effective' | 'ceilings'>,
  name: string,
): GateState {
  if (effective[name] === true) return 'open'
  return ceilings[name] === false ? 'below_ceiling' : 'switched_off'
}
