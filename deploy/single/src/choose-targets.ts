import { ConfigError } from '@lettergate/service/config'
import { targets, type RunTarget } from './targets.ts'

/**
 * The targets that `TARGET` names, separated by commas: `all`, a service in all its roles (`campaigns-delivery`), or one of its
 * roles (`campaigns-delivery-worker`). Throws a ConfigError with the known names.
 */
export function chooseTargets(names: string): readonly RunTarget[] {
  const wanted = names.split(',').flatMap((name) => name.trim() || [])
  const isNamed = ({ name, service }: RunTarget, by: string) => by === 'all' || by === name || by === service
  const unknown = wanted.filter((by) => !targets.some((target) => isNamed(target, by)))
  if (wanted.length > 0 && unknown.length === 0) return targets.filter((one) => wanted.some((by) => isNamed(one, by)))
  const known = [...new Set(['all', ...targets.flatMap(({ name, service }) => [service, name])])]
  const problem = unknown.length > 0 ? `TARGET has unknown names: ${unknown.join(', ')}` : 'TARGET is empty'
  throw new ConfigError([`${problem}. Use one or more of: ${known.join(', ')}`])
}
