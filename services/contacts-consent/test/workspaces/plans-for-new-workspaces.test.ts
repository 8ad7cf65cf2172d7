import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { newImport } from '../imports/import-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const size = 1_500
const repeats = 5

let people = 0
const address = () => `planned${(people += 1)}@example.com`

/** A workspace into which an import has brought `size` contacts. */
async function filledWorkspace() {
  const workspaceId = await s.workspace()
  const caller = s.as(workspaceId)
  const audienceId = await s.audience(caller)
  const emails = Array.from({ length: size }, address)
  await newImport(s, audienceId, { caller }).apply(emails.map((email) => ({ email, status: 'subscribed' })))
  return { caller, audienceId, emails }
}

/** Rows of these tables that sessions which have ended have read, since the database was made. */
async function rowsRead() {
  const sessions = () =>
    s.stage.query(`select from pg_stat_activity where datname = current_database() and usename = 'contacts'`)
  await until(async () => (await sessions()).length === 0)
  const [{ read }] = (await s.stage.query<{ read: number }>(
    `select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables
      where schemaname = 'contacts' and relname in ('contacts', 'memberships', 'suppressions', 'contact_tags')`,
  )) as [{ read: number }]
  return read
}

test('calls about one contact of a new workspace do not read its other contacts, while the statistics list other workspaces', async () => {
  const tables = await s.stage.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'contacts'`,
  )
  for (const { name } of tables) await s.stage.query(`alter table ${name} set (autovacuum_enabled = false)`)
  await filledWorkspace()
  for (const { name } of tables) await s.stage.query(`analyze ${name}`)
  const { caller, audienceId, emails } = await filledWorkspace()
  await s.app.stop()
  const before = await rowsRead()

  const app = await s.boot()
  const contacts = await s.stage.client(ContactsConsent, app.rpcPort)
  const source = 'test'
  for (const email of emails.slice(0, repeats)) {
    const { id: contactId } = (await contacts.lookupContact(caller, { email })).contact!
    await contacts.upsertContact(caller, { email, firstName: 'Ada', source })
    await contacts.upsertContact(caller, { email: address(), source })
    await contacts.getContact(caller, { contactId })
    await contacts.listConsentEvents(caller, { contactId, limit: 20 })
    await contacts.getEligibility(caller, { contactId, audienceId })
    await contacts.applyTag(caller, { contactId, tag: 'vip' })
    await contacts.subscribeContact(caller, { contactId, audienceId, source, wordingVersion: 'v1' })
    await contacts.unsubscribeContact(caller, { contactId, audienceId, source })
    await contacts.suppressContact(caller, { contactId, scope: 'workspace', reason: 'manual' })
    await contacts.eraseContact(caller, { contactId, confirmation: `ERASE ${contactId}` })
  }
  await app.stop()
  expect((await rowsRead()) - before).toBeLessThan(repeats * 500)
})
