import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openApi, type Api } from '@lettergate/demo/api'
import type { Config } from '@lettergate/local/launcher/config'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { labelOf } from '@lettergate/local/launcher/processes'
import type { Stack } from '@lettergate/local/launcher/state'
import { openFloor, type Floor } from './floors.ts'
import type { Options } from './options.ts'
import type { NamedProcess } from './processor-time.ts'
import { ensureStatements } from './spending.ts'

export const signingKey = 'dev-webhook-signing-key'
export const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
export const headers = { authorization: 'Bearer wallet-session-dev-owner' }

/** What a measure works with: a stack from which mail may be sent, the floor beside it, and a look into the database. */
export interface Bench {
  config: Config
  stack: Stack
  api: Api
  /** past row-level security */
  look: pg.Client
  floor: Floor
  senderId: string
  /** of every process of the stack and the floor */
  pids: readonly number[]
  /** of the stack, without the floor */
  processes: readonly NamedProcess[]
  options: Options
  tell: (line: string) => void
}

/** Prepares a stack for measuring. */
export async function openBench(
  config: Config,
  stack: Stack,
  options: Options,
  tell: (line: string) => void,
): Promise<Bench & { close(): Promise<void> }> {
  const api = openApi(stack.base_url, headers)
  const look = new pg.Client({ connectionString: stack.database_url, options: '-c app.system=bench' })
  look.on('error', (error) => tell(`the database went away: ${error.message}`))
  await look.connect()
  if (options.statements) await ensureStatements(look)
  const { senderId } = await prepareSending(api, workspace, stack, tell)
  const floor = await openFloor(stack.database_url, signingKey)
  const processes = [
    ...stack.processes.map((running) => ({ name: labelOf(running), pid: running.pid })),
    ...stack.infrastructure,
  ]
  return {
    config,
    stack,
    api,
    look,
    floor,
    senderId,
    pids: [...processes, floor].map(({ pid }) => pid),
    processes,
    options,
    tell,
    async close() {
      await floor.close()
      await look.end()
      await api.close()
    },
  }
}

/** Asks until none of the queries finds anything, one after the other. */
export async function untilNone(look: pg.Client, queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    while ((await look.query(query)).rowCount! > 0) await sleep(50)
  }
}
