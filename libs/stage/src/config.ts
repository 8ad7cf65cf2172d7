/** What tests take from the environment. `make test` brings the servers up once and hands them on here. */
export const loadConfig = (env: NodeJS.ProcessEnv = process.env) => ({
  databaseUrl: env.DATABASE_URL || undefined,
  natsUrl: env.NATS_URL || undefined,
  /** of every service, made once for the run */
  certificatesDirectory: env.LETTERGATE_TEST_CERTIFICATES || undefined,
  /** of the users of that NATS, by name; none at one without users */
  natsSeeds: JSON.parse(env.LETTERGATE_TEST_NATS_SEEDS || '{}') as Record<string, string>,
  /** where each process of the run notes which declared statements it executed; nowhere, when not every test runs */
  statementsDirectory: env.LETTERGATE_TEST_STATEMENTS || undefined,
  logLevel: env.TEST_LOG_LEVEL ?? 'silent',
  /** names the databases of one run, so that they can be dropped together */
  runId: env.LETTERGATE_TEST_RUN ?? String(process.pid),
})
