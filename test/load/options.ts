import { flag, integer, list, readConfig, type ConfigOf } from '@lettergate/service/config'

const variables = {
  /** the benchmarks to run; without names, those that `make bench` runs */
  benchmarks: list('BENCH', { default: [] }),
  /** prints after each benchmark the cost of Lettergate, by statement, process and table */
  statements: flag('BENCH_STATEMENTS', { default: false }),
  /** rounds of the benchmarks that send requests; fewer are faster and less exact */
  rounds: integer('BENCH_ROUNDS', { default: 7, min: 1, max: 100 }),
  /** recipients of the delivery benchmarks */
  recipients: integer('BENCH_RECIPIENTS', { default: 100_000, min: 1_000, max: 1_000_000 }),
  /** size of the only audience of the benchmark `snapshot`; 0 means its three sizes */
  members: integer('BENCH_MEMBERS', { default: 0, min: 0, max: 10_000_000 }),
  /** rows of the file of the import benchmarks */
  importRows: integer('BENCH_IMPORT_ROWS', { default: 200_000, min: 1_000, max: 1_400_000 }),
  /** trigger events of a turn of the benchmark `enrollments` */
  enrollments: integer('BENCH_ENROLLMENTS', { default: 20_000, min: 1_000, max: 1_000_000 }),
  /** contacts whose steps a turn of the benchmark `automation-steps` does */
  stepContacts: integer('BENCH_STEP_CONTACTS', { default: 20_000, min: 1_000, max: 1_000_000 }),
  /** contacts who wait in the benchmark `waiting-contacts` */
  waiting: integer('BENCH_WAITING', { default: 100_000, min: 1_000, max: 10_000_000 }),
  /** contacts who are due at the same time in the benchmark `due-at-once` */
  due: integer('BENCH_DUE', { default: 100_000, min: 1_000, max: 10_000_000 }),
  /** concurrent calls of the provider connection in the delivery benchmarks; the services read the same variable */
  callsAtOnce: integer('CONNECTION_HAND_OFFS_AT_ONCE', { default: 16, min: 1, max: 1_000 }),
  /** number of times that each gate is closed */
  closings: integer('BENCH_CLOSINGS', { default: 20, min: 1, max: 1_000 }),
  /** keeps the state directory with the logs */
  keep: flag('LETTERGATE_BENCH_KEEP', { default: false }),
}

export type BenchOptions = ConfigOf<typeof variables>

export const loadOptions = (env: NodeJS.ProcessEnv = process.env): BenchOptions => readConfig(variables, env)
