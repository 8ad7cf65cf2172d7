import { flag, integer, list, readConfig, type ConfigOf } from '@lettergate/service/config'

const variables = {
  /** the measures to take; without any, those that `make bench` takes */
  measures: list('BENCH', { default: [] }),
  /** prints after each measure what ours spent, by statement and by process */
  statements: flag('BENCH_STATEMENTS', { default: false }),
  /** rounds of the measures that send requests; fewer for a first look */
  rounds: integer('BENCH_ROUNDS', { default: 7, min: 1, max: 100 }),
  /** recipients of the delivery measures */
  recipients: integer('BENCH_RECIPIENTS', { default: 100_000, min: 1_000, max: 1_000_000 }),
  /** the audience of the measure `snapshot`, instead of all three */
  members: integer('BENCH_MEMBERS', { default: 0, min: 0, max: 10_000_000 }),
  /** calls that the one connection of the delivery measures has under way: the services read the same variable */
  callsAtOnce: integer('CONNECTION_HAND_OFFS_AT_ONCE', { default: 16, min: 1, max: 1_000 }),
  /** how often each gate is closed */
  closings: integer('BENCH_CLOSINGS', { default: 20, min: 1, max: 1_000 }),
  /** keeps the state directory with the logs */
  keep: flag('LETTERGATE_BENCH_KEEP', { default: false }),
}

export type Options = ConfigOf<typeof variables>

export const loadOptions = (env: NodeJS.ProcessEnv = process.env): Options => readConfig(variables, env)
