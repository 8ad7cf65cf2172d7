import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { PersonalDataErasedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { entities } from '../src/entities.ts'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from './contacts-stage.ts'
import { adjustScore, automationSteps } from './automations/steps-stage.ts'
import { newImport } from './imports/import-stage.ts'
import { newSource } from './source-stage.ts'

let s: ContactsStage
let role: pg.Client
beforeAll(async () => {
  s = await openContacts()
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  await s.contacts.suppressContact(s.us, {
    contactId: contact,
    scope: 'workspace',
    reason: 'manual',
    evidence: { n: 1 },
  })
  const named = { email: 'named@example.com', source: 'crm', sourceIdentifier: '7', tags: ['vip'] }
  await s.contacts.upsertContact(s.us, named)
  const { tag } = await s.contacts.registerTag(s.us, { name: 'misspelt' })
  await s.contacts.mergeTag(s.us, { tagId: tag!.id, into: 'vip' })
  await s.contacts.defineContactField(s.us, { fieldKey: 'size', label: 'Size', fieldType: 'integer' })
  const leaving = await s.contact()
  await s.subscribe(leaving, audience)
  await s.contacts.deleteContact(s.us, { contactId: leaving })
  const erasure = await s.erase(await s.contact())
  const service = 'campaigns-delivery'
  const told = { erasureId: erasure.id, service, part: 1, parts: 1, removed: {} }
  await s.stage.publish(service, PersonalDataErasedSchema, told, { workspaceId: s.ours })
  await until(async () => (await s.stage.query('select 1 from contacts.erasure_parts')).length === 1)
  const source = await newSource(s)
  await source.ingest(source.event())
  const confirmation = { senderIdentityId: s.ours, contentVersionId: s.ours }
  await s.contacts.setSourceConfirmation(s.us, { sourceSlug: source.slug, ...confirmation })
  await source.ingest(source.event())
  await newImport(s, audience).apply([{ email: 'imported@example.com', status: 'subscribed' }])
  await s.contacts.stopImport(s.us, { importId: newId() })
  await automationSteps(s).one(contact, adjustScore(1))
  const another = await s.boot() // stores the members of today when it starts
  await until(async () => (await s.stage.query('select 1 from contacts.audience_member_days')).length > 0)
  await another.stop()
  role = new pg.Client({
    connectionString: s.stage.databaseUrl('contacts'),
    options: '-c search_path=contacts',
  } as pg.ClientConfig)
  await role.connect()
})
afterAll(async () => {
  await role.end()
  await s.close()
})

const everythingIsSealed = () =>
  until(async () => {
    const [events, seals] = [
      await s.stage.query('select 1 from contacts.consent_events'),
      await s.stage.query('select 1 from contacts.consent_seals'),
    ]
    return events.length > 3 && seals.length === events.length
  })

const tenantTables = async () =>
  (
    await s.stage.query<{ name: string }>(
      `select c.table_name as name from information_schema.columns c
         join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'contacts' and c.column_name = 'workspace_id' and t.table_name <> 'outbox' order by 1`,
    )
  ).map((table) => table.name)

/** The tables that the code knows to be a tenant's. */
const described = entities
  .map((entity) => entity.meta)
  .filter((meta) => 'workspaceId' in meta.properties)
  .map((meta) => meta.tableName)
  .sort()

test('the service role without a tenant sees no row of any tenant table, and with one only its own', async () => {
  await everythingIsSealed()
  const tables = await tenantTables()
  expect(tables).toContain('consent_events')
  expect(tables).toEqual(described)
  for (const table of tables) {
    expect((await role.query(`select * from ${table}`)).rows).toEqual([])
  }
  // the sealer and the checker write and delete these rows by themselves
  const passing = ['unsealed_consent_batches', 'consent_record_checks']
  for (const [workspace, isOurs] of [
    [s.theirs, false],
    [s.ours, true],
  ] as const) {
    await role.query("select set_config('app.workspace_id', $1, false)", [workspace])
    for (const table of tables) {
      const { rows } = await role.query<{ workspace_id: string }>(`select workspace_id from ${table}`)
      expect([table, rows.filter((row) => row.workspace_id !== workspace)]).toEqual([table, []])
      if (isOurs && !passing.includes(table)) expect([table, rows.length > 0]).toEqual([table, true])
    }
  }
})

test('the service role cannot write into another tenant', async () => {
  await role.query("select set_config('app.workspace_id', $1, false)", [s.ours])
  const stray = role.query('insert into tags (workspace_id, id, name) values ($1, $2, $3)', [s.theirs, newId(), 'x'])
  await expect(stray).rejects.toMatchObject({ code: '42501' })
})

test('the consent record and its seals are never changed or removed, by the service role or by the owner of the table', async () => {
  await everythingIsSealed()
  await role.query("select set_config('app.workspace_id', $1, false)", [s.ours])
  for (const [table, column] of [
    ['consent_events', 'source'],
    ['consent_seals', 'sha256'],
  ] as const) {
    for (const statement of [
      `update contacts.${table} set ${column} = 'x'`,
      `delete from contacts.${table}`,
      `truncate contacts.${table} cascade`,
    ]) {
      await expect(role.query(statement)).rejects.toMatchObject({ code: '42501' })
      await expect(s.stage.query(statement)).rejects.toMatchObject({ code: '23001' })
    }
  }
})

test('the service role may use its own schema and no other', async () => {
  const schemas = await s.stage.query<{ nspname: string }>(
    "select nspname from pg_namespace where has_schema_privilege('contacts', oid, 'usage, create') and nspname not in ('information_schema', 'pg_catalog') and nspname not like 'pg_t%'",
  )
  expect(schemas.map((schema) => schema.nspname).filter((name) => name !== 'public')).toEqual(['contacts'])
  await s.stage.query('create schema foreign_service')
  await s.stage.query('create table foreign_service.things (id int)')
  await expect(role.query('select * from foreign_service.things')).rejects.toMatchObject({ code: '42501' })
  await expect(role.query('create table contacts.mine (id int)')).rejects.toMatchObject({ code: '42501' })
  await expect(role.query('select * from contacts.mikro_orm_migrations')).rejects.toMatchObject({ code: '42501' })
})
