import { read } from '@lettergate/guard/tree'
import type { Variables } from '@lettergate/service/config'
import { isNamedSecret } from '@lettergate/service/named-secrets'
import { chooseTargets } from '@lettergate/single/choose-targets'
import { variables as singleVariables } from '@lettergate/single/config'
import { targetEnvironment } from '@lettergate/single/target-environment'
import { configurationOf } from './configuration.ts'

/** Everything that the process with all services runs. */
export const targets = chooseTargets('all')

/** The `ENV` of a stage of the Dockerfile, without those of the stages before it. */
function environmentOfStage(name: string): Record<string, string> {
  const text = read('Dockerfile').replaceAll(/\\\n/g, ' ')
  const body = text.split(/^FROM /m).find((stage) => stage.split('\n')[0]!.endsWith(` AS ${name}`))!
  return Object.fromEntries(
    [...body.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) => line!.split(/\s+/).map((one) => one.split('='))),
  ) as Record<string, string>
}

/** The environment that the image `single` sets. */
export const imageEnvironment: Record<string, string> = Object.assign(
  {},
  ...['service', 'gateway', 'single'].map(environmentOfStage),
)

export const declaredIn = (variables: Variables): Set<string> =>
  new Set(Object.values(variables).map((variable) => variable.name))

/** The configuration that each target loads from the environment of the process, by the name of the target; throws as the process would. */
export async function configurationsIn(environment: Record<string, string>): Promise<Record<string, object>> {
  const loaded = targets.map(async (target) => {
    const { loadConfig } = await configurationOf(target.service)
    return [target.name, loadConfig(targetEnvironment(environment, target, targets)) as object] as const
  })
  return Object.fromEntries(await Promise.all(loaded))
}

const prefixOf = (name: string) => `${name.toUpperCase().replaceAll('-', '_')}__`

/** Says whether the process reads a variable, without a prefix or with that of a service or a role. */
export async function readBySingle(): Promise<(variable: string) => boolean> {
  const common = declaredIn(singleVariables)
  const ofPrefix = new Map<string, Set<string>>()
  for (const { name, service } of targets) {
    const declared = declaredIn((await configurationOf(service)).variables)
    for (const variable of declared) common.add(variable)
    ofPrefix.set(prefixOf(service), declared).set(prefixOf(name), declared)
  }
  return (variable) => {
    const [, prefix, rest] = /^([A-Z_]+?__)(.+)$/.exec(variable) ?? []
    if (prefix !== undefined) return ofPrefix.get(prefix)?.has(rest!) === true
    return common.has(variable) || isNamedSecret(variable)
  }
}
