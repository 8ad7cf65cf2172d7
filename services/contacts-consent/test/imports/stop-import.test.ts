import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '@lettergate/stage'
import { patiently } from '@lettergate/stage/patiently'
import { openContacts, unknownId, type ContactsStage } from '../contacts-stage.ts'
import { newImport } from './import-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

let people = 0
const row = (status = 'subscribed') => ({ email: `stopped${(people += 1)}@example.com`, status })
const rowsOf = async (importId: string) =>
  (await s.stage.query('select from contacts.import_rows where import_id = $1', [importId])).length

test('a stopped import applies no row in either pass, and a repeated stop changes nothing', async () => {
  const own = newImport(s, audience)
  await own.apply([row()])
  const { importId } = own.plan
  for (let times = 0; times < 2; times += 1) await s.contacts.stopImport(s.us, { importId })
  const refused = { code: 'unavailable', reason: 'import_stopped' }
  await expect(own.applyOnce([row()])).rejects.toMatchObject(refused)
  await expect(own.suppressOnce([row('unsubscribed')])).rejects.toMatchObject(refused)
  const later = newImport(s, audience, { importId, epoch: 2_147_483_647 })
  await expect(later.applyOnce([row()])).rejects.toMatchObject(refused)
  expect(await rowsOf(importId)).toBe(1)
  expect((await own.count()).effects).toMatchObject({ consents: 1 })
})

test('a stop through an epoch leaves later ones, and never lets a stopped one write again', async () => {
  const { plan, ...first } = newImport(s, audience, { epoch: 40_000 })
  const { importId } = plan
  const second = newImport(s, audience, { importId, epoch: 40_001 })
  await s.contacts.stopImport(s.us, { importId, epoch: 40_000 })
  await expect(first.applyOnce([row()])).rejects.toMatchObject({ reason: 'import_stopped' })
  expect(await second.applyOnce([row()])).toEqual(['consent_recorded new'])
  await s.contacts.stopImport(s.us, { importId })
  await s.contacts.stopImport(s.us, { importId, epoch: 40_000 })
  await expect(second.applyOnce([row()])).rejects.toMatchObject({ reason: 'import_stopped' })
})

test('the answer comes after a batch that is being written, and no row is written after it', async () => {
  const own = newImport(s, audience)
  const { importId } = own.plan
  const held = row()
  await s.contact(s.us, held.email)
  const holder = new pg.Client({ connectionString: s.stage.adminUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from contacts.contacts where normalized_email = $1 for update', [held.email])
  let isAnswered = false
  const applied = own.applyOnce([held]).then(
    () => true,
    () => false,
  )
  const waiting = async (kind: string) =>
    (
      await s.stage.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event ${kind}`,
      )
    ).length > 0
  let isEnded = false
  void applied.then(() => (isEnded = true))
  await until(async () => isEnded || (await waiting(`<> 'advisory'`)), { what: 'the batch to wait for the contact' })
  const stopped = patiently(() => s.contacts.stopImport(s.us, { importId })).then(() => (isAnswered = true))
  await until(async () => isEnded || isAnswered || (await waiting(`= 'advisory'`)), { what: 'the stop to wait' })
  expect(isAnswered && !isEnded).toBe(false)
  await holder.query('commit')
  await holder.end()
  await stopped
  const rows = await rowsOf(importId)
  expect(rows).toBe((await applied) ? 1 : 0)
  await expect(own.applyOnce([row()])).rejects.toMatchObject({ reason: 'import_stopped' })
  expect(await rowsOf(importId)).toBe(rows)
})

test('an import of another tenant is not stopped, and a malformed id or number is refused', async () => {
  const own = newImport(s, audience)
  const { importId } = own.plan
  await s.contacts.stopImport(s.them, { importId })
  expect(await own.applyOnce([row()])).toEqual(['consent_recorded new'])
  await expect(s.contacts.stopImport(s.us, { importId: 'x' })).rejects.toMatchObject({ reason: 'import_id' })
  await expect(s.contacts.stopImport(s.us, { importId: unknownId, epoch: 2 ** 31 })).rejects.toMatchObject({
    reason: 'epoch',
  })
  await expect(newImport(s, audience, { epoch: 2 ** 31 }).applyOnce([row()])).rejects.toMatchObject({ reason: 'epoch' })
})
