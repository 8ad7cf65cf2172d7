import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { until } from '@lettergate/stage'
import { startPostgres, type RunningPostgres } from '@lettergate/stage/postgres'
import { scratchDirectory } from '@lettergate/stage/scratch-directory'
import { cloneDatabase } from '@lettergate/stage/template'
import { schema } from '../src/db/migrations.ts'

const runId = 'restored'
let directory: string
let server: RunningPostgres
let database: string

beforeAll(async () => {
  directory = scratchDirectory('lettergate-restored-')
  server = await startPostgres({ directory: join(directory, 'original'), durable: false })
  database = new URL(await cloneDatabase(server.url, runId, [schema])).pathname
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function ask<T>(text: string): Promise<T | undefined> {
  const client = new pg.Client({ connectionString: Object.assign(new URL(server.url), { pathname: database }).href })
  await client.connect()
  try {
    return (await client.query(text)).rows[0] as T | undefined
  } finally {
    await client.end()
  }
}
const isTheSame = async () =>
  (await ask<{ same: boolean }>(
    `select marker = identity.current_database_marker() as same from identity.database_marker`,
  ))!.same
/** A copy with its owner and rights, because PostgreSQL may run as another user. */
const copy = (from: string, to: string) =>
  expect(spawnSync('cp', ['-a', join(directory, from), join(directory, to)]).status).toBe(0)

test('a restart keeps the marker of a database, and a recovery to a point in time changes it', async () => {
  expect(await isTheSame()).toBe(true)
  await server.stop()
  copy('original', 'backup')
  server = await startPostgres({ directory: join(directory, 'original'), durable: false })
  expect(await isTheSame()).toBe(true)
  await ask(`create table public.after_the_backup ()`)
  await ask(`select pg_switch_wal()`)
  copy('original/postgres/pg_wal', 'archive') // a stopped server would reuse the file
  await server.stop()

  const data = join(directory, 'backup/postgres')
  const archive = join(directory, 'archive')
  appendFileSync(
    join(data, 'postgresql.auto.conf'),
    `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_action = promote\n`,
  )
  writeFileSync(join(data, 'recovery.signal'), '')
  server = await startPostgres({ directory: join(directory, 'backup'), durable: false })
  await until(async () => (await ask<{ is: boolean }>('select pg_is_in_recovery() as is'))!.is === false)
  expect(await ask(`select to_regclass('public.after_the_backup') is not null as found`)).toEqual({ found: true })
  expect(await isTheSame()).toBe(false)
})
