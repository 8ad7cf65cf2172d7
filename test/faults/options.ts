import { randomInt } from 'node:crypto'
import { flag, integer, readConfig, type ConfigOf } from '@lettergate/service/config'

const variables = {
  recipients: integer('FAULTS_RECIPIENTS', { default: 100_000, min: 500, max: 1_000_000 }),
  kills: integer('FAULTS_KILLS', { default: 50, min: 1, max: 1_000 }),
  /** the same seed kills the same things in the same order, after the same shares of the run; 0 takes one by chance */
  seed: integer('FAULTS_SEED', { default: 0, min: 0, max: 0xffff_ffff }),
  /** keeps the state directory with the logs and the database */
  keep: flag('FAULTS_KEEP', { default: false }),
}

export type FaultOptions = ConfigOf<typeof variables>

export function loadOptions(env: NodeJS.ProcessEnv = process.env): FaultOptions {
  const options = readConfig(variables, env)
  return { ...options, seed: options.seed || randomInt(1, 0xffff_ffff) }
}
