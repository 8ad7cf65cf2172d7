import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openApi, type Api } from '@lettergate/demo/api'
import type { LauncherConfig } from '@lettergate/local/launcher/config'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { labelOf } from '@lettergate/local/launcher/processes'
import type { Stack } from '@lettergate/local/launcher/state'
import { openFloor, type Floor } from './floors.ts'
import type { BenchOptions } from './options.ts'
import type { NamedProcess } from './processor-time.ts'
import { ensureStatements } from './spending.ts'

export const signingKey = 'dev-webhook-signing-key'
export const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
export const headers = { authorization: 'Bearer wallet-session-dev-owner' }

/** The input of a benchmark: a stack that may send email, the floor, and a connection to the database. */
export interface Bench {
  config: LauncherConfig
  stack: Stack
  api: Api
  /** as the administrator, whose connection has no row-level security */
  database: pg.Client
  floor: Floor
  senderId: string
  /** every process of the stack and of the floor */
  pids: readonly number[]
  /** every process of the stack */
  processes: readonly NamedProcess[]
  options: BenchOptions
  print: (line: string) => void
}

/** Prepares a stack for benchmarks. A stack with a closed ceiling for production email cannot send. */
export async function openBench(
  config: LauncherConfig,
  stack: Stack,
  options: BenchOptions,
  print: (line: string) => void,
): Promise<Bench & { close(): Promise<void> }> {
  const api = openApi(stack.base_url, headers)
  const database = new pg.Client({ connectionString: stack.database_url, options: '-c app.system=bench' })
  database.on('error', (error) => print(`the database connection failed: ${error.message}`))
  await database.connect()
  if (options.statements) await ensureStatements(database)
  const canSend = config.environment['ALLOW_PRODUCTION_SENDING_ACTIVATION'] === 'true'
  const { senderId } = canSend ? await prepareSending(api, workspace, stack, print) : { senderId: '' }
  const floor = await openFloor(stack.database_url, signingKey)
  const processes = [
    ...stack.processes.map((running) => ({ name: labelOf(running), pid: running.pid })),
    ...stack.infrastructure,
  ]
  return {
    config,
    stack,
    api,
    database,
    floor,
    senderId,
    pids: [...processes, floor].map(({ pid }) => pid),
    processes,
    options,
    print,
    async close() {
      await floor.close()
      await database.end()
      await api.close()
    },
  }
}

/** Repeats each query until it returns no row, one query after the other. */
export async function untilNone(database: pg.Client, queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    while ((await database.query(query)).rowCount! > 0) await sleep(50)
  }
}
