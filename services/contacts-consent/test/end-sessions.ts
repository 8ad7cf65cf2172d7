import { until, type Stage } from '@lettergate/stage'

/** Ends the idle sessions of the service, which report what they read only then, or up to ten seconds after their transaction. */
export async function endSessions(stage: Stage): Promise<void> {
  const ended = await stage.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'contacts' and state = 'idle'`,
  )
  const pids = ended.map(({ pid }) => pid)
  await until(async () => (await stage.query('select from pg_stat_activity where pid = any($1)', [pids])).length === 0)
}
