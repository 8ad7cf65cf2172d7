import type { RunTarget } from './targets.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const prefixOf = (name: string) => `${name.toUpperCase().replaceAll('-', '_')}__`

const withPrefix = (environment: Environment, name: string): Environment =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([key, value]) =>
      key.startsWith(prefixOf(name)) ? [[key.slice(prefixOf(name).length), value]] : [],
    ),
  )

/**
 * The environment of one target. `GATEWAY__DATABASE_URL` is `DATABASE_URL` for the gateway only. A variable of a role
 * (`CAMPAIGNS_DELIVERY_WORKER__…`) goes before one of its service (`CAMPAIGNS_DELIVERY__…`), which goes before the default of the
 * target and before the common one. Targets find those of the same process by their default address.
 */
export function targetEnvironment(
  environment: Environment,
  target: RunTarget,
  beside: readonly RunTarget[],
): Environment {
  const ofRole = withPrefix(environment, target.name)
  const merged = { ...environment, ...target.defaults, ...withPrefix(environment, target.service), ...ofRole }
  const addresses = beside.flatMap((other) => {
    if (other.addressVariable === undefined || merged[other.addressVariable]) return []
    const own = { ...other.defaults, ...withPrefix(environment, other.service), ...withPrefix(environment, other.name) }
    return [[other.addressVariable, `127.0.0.1:${own['RPC_PORT']}`]]
  })
  return { ...merged, ...Object.fromEntries(addresses) }
}
