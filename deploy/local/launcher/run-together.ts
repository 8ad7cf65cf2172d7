import { chooseTargets } from '@lettergate/single/choose-targets'
import type { ProcessPlan } from './processes.ts'

const roleOf = ({ role }: ProcessPlan) => (role === 'service' ? '' : role)
const nameOf = (plan: ProcessPlan) => [plan.name, roleOf(plan)].filter(Boolean).join('-')

/**
 * Puts the services that `TARGET` names into one process for each replica, each with its own environment. The others stay as they
 * are; without `TARGET` all do.
 */
export function runTogether(
  plans: readonly ProcessPlan[],
  target: string,
  port: (name: string) => number,
): readonly ProcessPlan[] {
  if (target === '') return plans
  const names = new Set(chooseTargets(target).map(({ name }) => name))
  const together = plans.filter((plan) => names.has(nameOf(plan)))
  const replicas = [...new Set(together.map(({ replica }) => replica))]
  const singles = replicas.map((replica): ProcessPlan => {
    const healthPort = port(replica === 1 ? 'lettergate.health' : `lettergate-${replica}.health`)
    const parts = together.filter((plan) => plan.replica === replica)
    return {
      name: 'lettergate',
      role: 'service',
      replica,
      main: 'deploy/single/src/main.ts',
      healthUrl: `http://127.0.0.1:${healthPort}`,
      environment: { TARGET: target, ...joined(parts), HEALTH_PORT: String(healthPort) },
    }
  })
  return [...plans.filter((plan) => !together.includes(plan)), ...singles]
}

/** Variables that are equal in all plans as they are; others with the prefix of their target. */
function joined(plans: readonly ProcessPlan[]): Record<string, string> {
  const names = [...new Set(plans.flatMap(({ environment }) => Object.keys(environment)))]
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = plans.map(({ environment }) => environment[name])
      if (values.every((value) => value === values[0]) && name !== 'HEALTH_PORT') return [[name, values[0]!]]
      return plans.flatMap((plan) => {
        const prefix = nameOf(plan).toUpperCase().replaceAll('-', '_')
        const value = plan.environment[name]
        return value === undefined ? [] : [[`${prefix}__${name}`, value]]
      })
    }),
  )
}
