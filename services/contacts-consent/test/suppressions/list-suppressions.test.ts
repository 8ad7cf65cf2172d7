import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

/** Newer suppressions of the other state, before the one that is looked for. */
const crowd = 5_000

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

/** One suppression of an id below all others, and many newer ones, which are resolved if it is unresolved. */
async function oneBehindMany(workspaceId: string, isResolved: boolean) {
  const contactId = await s.contact(s.as(workspaceId))
  const { suppressionId } = await s.contacts.suppressContact(s.as(workspaceId), {
    contactId,
    scope: 'workspace',
    reason: 'manual',
  })
  if (isResolved) await s.contacts.resolveSuppression(s.as(workspaceId), { suppressionId, resolutionReason: 'test' })
  await s.stage.query(
    `insert into contacts.suppressions (workspace_id, id, contact_id, scope, reason, source, actor, resolved_at, resolved_by, resolution_reason)
     select $1, ('ffffffff-ffff-7fff-bfff-' || lpad(n::text, 12, '0'))::uuid, gen_random_uuid(), 'workspace', 'manual', 'test', 'test',
            case when $2 then null else now() end, case when $2 then null else 'test' end, case when $2 then null else 'test' end
       from generate_series(1, ${crowd}) n`,
    [workspaceId, isResolved],
  )
  await s.stage.query('vacuum analyze contacts.suppressions')
  return suppressionId
}

const read = async () => {
  const [row] = await s.stage.query<{ scans: number; read: number }>(
    `select (seq_scan + idx_scan)::int as scans, (seq_tup_read + idx_tup_fetch)::int as read
       from pg_stat_user_tables where schemaname = 'contacts' and relname = 'suppressions'`,
  )
  return row!
}

test.each([
  ['unresolved', false],
  ['resolved', true],
] as const)('the list of %s suppressions reads none of the others', async (state, isResolved) => {
  const workspaceId = await s.workspace()
  const suppressionId = await oneBehindMany(workspaceId, isResolved)
  const before = await read()
  const { suppressions } = await s.contacts.listSuppressions(s.as(workspaceId), { state })
  expect(suppressions.map(({ id }) => id)).toEqual([suppressionId])
  const after = await until(async () => {
    const now = await read()
    return now.scans > before.scans && now
  })
  expect(after.read - before.read).toBeLessThan(10)
})
