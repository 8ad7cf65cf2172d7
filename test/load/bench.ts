import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openApi, type Api } from '@lettergate/local/demo/api'
import { prepareSending } from '@lettergate/local/demo/prepare-sending'
import type { Stack } from '@lettergate/local/launcher/state'
import { openFloor, type Floor } from './floors.ts'

export const signingKey = 'dev-webhook-signing-key'
export const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
export const headers = { authorization: 'Bearer wallet-session-dev-owner' }

/** What a measure works with: a stack from which mail may be sent, the floor beside it, and a look into the database. */
export interface Bench {
  stack: Stack
  api: Api
  /** past row-level security */
  look: pg.Client
  floor: Floor
  senderId: string
  /** of every process of the stack and the floor */
  pids: readonly number[]
  tell: (line: string) => void
}

/** Prepares a stack for measuring. */
export async function openBench(
  stack: Stack,
  tell: (line: string) => void,
): Promise<Bench & { close(): Promise<void> }> {
  const api = openApi(stack.base_url, headers)
  const look = new pg.Client({ connectionString: stack.database_url })
  look.on('error', (error) => tell(`the database went away: ${error.message}`))
  await look.connect()
  const { senderId } = await prepareSending(api, workspace, stack, tell)
  const floor = await openFloor(stack.database_url, signingKey)
  return {
    stack,
    api,
    look,
    floor,
    senderId,
    pids: [...stack.processes, ...stack.infrastructure, floor].map(({ pid }) => pid),
    tell,
    async close() {
      await floor.close()
      await look.end()
      await api.close()
    },
  }
}

/** An audience with that many consented members, written past the services, which are measured elsewhere. */
export async function fillAudience({ api, look, tell }: Bench, slug: string, members: number): Promise<string> {
  tell(`filling an audience with ${members} members`)
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'Bench',
    slug,
    purpose: 'measure',
  })
  await look.query(
    `with made as (
       insert into contacts.contacts (workspace_id, id, email, normalized_email, first_name)
       select a.workspace_id, gen_random_uuid(), address, address, 'Bench ' || n
         from contacts.audiences a, generate_series(1, $2::int) n, lateral (select a.slug || '.' || n || '+silent@example.test' as address) named
        where a.id = $1 returning workspace_id, id)
     insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent, consent_changed_at)
     select workspace_id, $1, id, true, 'granted', now() from made`,
    [audience.id, members],
  )
  await look.query('analyze contacts.contacts, contacts.memberships')
  return audience.id
}

/** Asks until none of the queries finds anything, one after the other. */
export async function untilNone(look: pg.Client, queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    while ((await look.query(query)).rowCount! > 0) await sleep(50)
  }
}
