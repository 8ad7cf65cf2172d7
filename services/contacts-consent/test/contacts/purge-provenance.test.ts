import { afterAll, beforeAll, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const upsert = (email: string, source: string, sourceIdentifier?: string) =>
  s.contacts.upsertContact(s.us, { email, source, sourceIdentifier })
const aged = (contactId: string, days: number) =>
  s.stage.query(
    `update contacts.contact_provenance set recorded_at = recorded_at - $2 * interval '1 day' where contact_id = $1`,
    [contactId, days],
  )
const kept = async (contactId: string) =>
  (
    await s.stage.query<{ told: string }>(
      `select source || coalesce(' ' || source_identifier, '') || case when is_creation then ' creation' else '' end as told
         from contacts.contact_provenance where contact_id = $1 order by id`,
      [contactId],
    )
  )
    .map(({ told }) => told)
    .join()

test('the purge of old provenance keeps the creation of a contact and the newest entry of each source', async () => {
  const { contact } = await upsert('many@example.com', 'crm', '1')
  for (const [source, identifier] of [['crm', '1'], ['shop'], ['crm', '1'], ['shop'], ['crm', '2']] as const)
    await upsert('many@example.com', source, identifier)
  const id = contact!.id
  await aged(id, 731)
  const { contact: other } = await upsert('young@example.com', 'crm')
  for (let times = 0; times < 3; times += 1) await upsert('young@example.com', 'crm')
  await aged(other!.id, 729)

  await s.boot()
  await until(async () => (await kept(id)) === 'crm 1 creation,crm 1,shop,crm 2')
  await until(async () => (await kept(other!.id)) === 'crm creation,crm,crm,crm')
  await s.boot({ CONTACT_PROVENANCE_KEEP_DAYS: '700' })
  await until(async () => (await kept(other!.id)) === 'crm creation,crm')
})
