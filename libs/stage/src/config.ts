/** What tests take from the environment. `make test` brings the servers up once and hands them on here. */
export const loadConfig = (env: NodeJS.ProcessEnv = process.env) => ({
  databaseUrl: env.DATABASE_URL || undefined,
  natsUrl: env.NATS_URL || undefined,
  logLevel: env.TEST_LOG_LEVEL ?? 'silent',
  /** names the databases of one run, so that they can be dropped together */
  runId: env.LETTERGATE_TEST_RUN ?? String(process.pid),
})
