/** The environment of tests. `make test` starts the servers once and sets these variables. */
export const loadConfig = (env: NodeJS.ProcessEnv = process.env) => ({
  databaseUrl: env.DATABASE_URL || undefined,
  natsUrl: env.NATS_URL || undefined,
  /** certificates of every service, made once for the run */
  certificatesDirectory: env.LETTERGATE_TEST_CERTIFICATES || undefined,
  /** seeds of the users of that NATS, by name; empty for a server without users */
  natsSeeds: JSON.parse(env.LETTERGATE_TEST_NATS_SEEDS || '{}') as Record<string, string>,
  /** directory in which each process of the run records the declared statements that it executed; empty when only some tests run */
  statementsDirectory: env.LETTERGATE_TEST_STATEMENTS || undefined,
  /** directory for the stacks of processes that tests start; the run stops those that are left in it */
  stacksDirectory: env.LETTERGATE_TEST_STACKS || undefined,
  /** directory of Node's compile cache, as a variable for processes that tests start; empty without one */
  compileCache: (env.NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE } : {}) as Record<
    string,
    string
  >,
  logLevel: env.TEST_LOG_LEVEL ?? 'silent',
  /** prefix of the databases of one run, so that they can be dropped together */
  runId: env.LETTERGATE_TEST_RUN ?? String(process.pid),
})
