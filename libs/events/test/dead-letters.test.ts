import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { Migration } from '@mikro-orm/migrations'
import { AlertRaisedSchema, AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { DeadLetters } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { contexts, execute, newId, openDatabase, sql, type Context } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { connect, serveRpc, type Client } from '@lettergate/rpc'
import { createService, type Service } from '@lettergate/service'
import { openStage, until, type Stage } from '@lettergate/stage'
import { deadLetterStates, eventTables, outboxWrittenOnce } from '../src/ddl.ts'
import { consume, consumer, deadLetters, firstTime, openBus, relayOutbox } from '../src/events.ts'

class First extends Migration {
  override up() {
    for (const statement of [
      ...eventTables(),
      ...deadLetterStates(),
      ...outboxWrittenOnce(),
      'create table effects (event_id uuid, name text)',
    ])
      this.addSql(statement)
  }
}
const schema = { schema: 'ledger', role: 'ledger', migrations: [{ name: '001-first', class: First }] }
const workspaceId = newId()

let stage: Stage
let service: Service
let asked: Client<typeof DeadLetters>
const refused = new Set<string>()
/** what the handler waits for before it handles events of these actions, and which of them it was given */
const heard: { action: string; source: string }[] = []
const slow = new Map<string, Promise<void>>()

const listener = consumer({
  name: 'on-audit-recorded',
  from: 'elsewhere',
  event: AuditRecordedSchema,
  handle: async (ctx: Context<object>, events) => {
    for (const { data } of events)
      if (refused.has(data.action))
        throw new Fault('invalid_argument', 'action', `ada@example.com may not do ${data.action}`)
    for (const { data, source } of events) {
      const released = slow.get(data.action)
      if (released) heard.push({ action: data.action, source })
      await released
    }
    await ctx.tx(async (em) => {
      for (const event of await firstTime(em, events))
        await execute(em, sql`insert into effects (event_id, name) values (${event.id}, ${event.data.action})`)
    })
  },
})

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('ledger', { logLevel: 'silent', bindAddress: '127.0.0.1' })
  const db = await service.use(
    openDatabase(service, { url: stage.databaseUrl('ledger'), schema: 'ledger', entities: [] }),
  )
  const bus = await service.use(openBus(service, stage.bus()))
  const ctx = contexts(db, service, {})
  await service.use(relayOutbox(service, db, bus))
  await service.use(consume(service, { bus, db, consumer: listener, ctxOf: ctx.ofEvent }))
  const { port } = await service.use(
    serveRpc(service, { port: 0, rpc: Imports, operations: {}, ctxOf: ctx.ofCall, beside: deadLetters(service, db) }),
  )
  asked = await service.use(connect(service, `127.0.0.1:${port}`, DeadLetters))
})
afterAll(async () => {
  await service.stop()
  await stage.close()
})

const administrator = () => stage.caller({ platformRole: 'administrator', actor: 'ops' })

/** Publishes an event that its consumer refuses, and answers it as it is listed. */
async function refusedEvent(action: string) {
  refused.add(action)
  const detail = { person_id: newId(), email: 'ada@example.com' }
  const subjectId = newId()
  const init = { action, subjectType: 'thing', subjectId, actor: 'ada', detail }
  const eventId = await stage.publish('elsewhere', AuditRecordedSchema, init, { workspaceId })
  const letter = await until(async () => {
    const { deadLetters: listed } = await asked.listDeadLetters(administrator(), {})
    return listed.find((one) => one.eventId === eventId)
  })
  return { letter, eventId, subjectId, personId: detail.person_id, init }
}

const named = (deadLetterId: string) => ({ service: 'ledger', deadLetterId })
const get = async (id: string) => (await asked.getDeadLetter(administrator(), named(id))).deadLetter!
const inState = (id: string, state: string) => until(async () => (await get(id)).state === state && get(id))
const effectsOf = async (action: string) =>
  (await stage.query('select 1 from ledger.effects where name = $1', [action])).length
const announced = async <T>(event: string, read: (payload: Uint8Array) => T): Promise<T[]> =>
  (
    await stage.query<{ payload: Uint8Array }>('select payload from ledger.outbox where event = $1 order by id', [
      event,
    ])
  ).map(({ payload }) => read(payload))
const audited = async (id: string) =>
  (await announced('audit_recorded', (payload) => fromBinary(AuditRecordedSchema, payload))).filter(
    ({ subjectId }) => subjectId === id,
  )

test('a dead letter shows what failed, where and why, and nothing that says who a person is', async () => {
  const { letter, eventId, subjectId, personId } = await refusedEvent('thing_shown')
  expect(letter).toMatchObject({
    service: 'ledger',
    consumer: 'on-audit-recorded',
    state: 'dead',
    event: 'audit_recorded',
    eventId,
    announcedBy: 'elsewhere',
    workspaceId,
    correlationId: eventId,
    payloadIds: { subject_id: subjectId, person_id: personId },
    attempts: 1,
    errorClass: 'Fault',
    errorMessage: '[address] may not do thing_shown',
  })
  expect(await get(letter.id)).toEqual(letter)
  expect(
    JSON.stringify(letter, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toMatch(/ada/i)
  expect(await stage.query(`select 1 from ledger.dead_letters where error like '%@%'`)).toEqual([])
})

test('a replay gives the event to its consumer, which has its effect once however often it is asked for; it is audited', async () => {
  const { letter, eventId, init } = await refusedEvent('thing_replayed')
  refused.delete('thing_replayed')
  const answers = await Promise.all([1, 2, 3].map(() => asked.replayDeadLetter(administrator(), named(letter.id))))
  for (const { deadLetter } of answers) expect(['replaying', 'replayed']).toContain(deadLetter!.state)
  const replayed = await inState(letter.id, 'replayed')
  expect(replayed).toMatchObject({ attempts: 2, replayedAt: expect.anything() })

  expect((await asked.replayDeadLetter(administrator(), named(letter.id))).deadLetter).toEqual(replayed)
  await stage.publish('elsewhere', AuditRecordedSchema, init, { workspaceId, id: eventId })
  await stage.publish('elsewhere', AuditRecordedSchema, { ...init, action: 'after_replayed' }, { workspaceId })
  await until(async () => (await effectsOf('after_replayed')) === 1)
  expect(await effectsOf('thing_replayed')).toBe(1)
  expect(await audited(letter.id)).toMatchObject([
    {
      action: 'dead_letter_replay_requested',
      actor: 'ops',
      detail: { service: 'ledger', consumer: 'on-audit-recorded', event_id: eventId },
    },
  ])
})

test('while an event is being replayed it can be read, a second replay is the same one, and it cannot be discarded', async () => {
  const { letter } = await refusedEvent('thing_slow')
  refused.delete('thing_slow')
  const { promise, resolve } = Promise.withResolvers<void>()
  slow.set('thing_slow', promise)
  try {
    await asked.replayDeadLetter(administrator(), named(letter.id))
    await until(() => Promise.resolve(heard.length > 0))
    expect(heard).toEqual([{ action: 'thing_slow', source: 'elsewhere' }])
    expect(await get(letter.id)).toMatchObject({ state: 'replaying' })
    const again = await asked.replayDeadLetter(administrator(), named(letter.id))
    expect(again.deadLetter).toMatchObject({ state: 'replaying' })
    await expect(
      asked.discardDeadLetter(administrator(), { ...named(letter.id), reason: 'too slow' }),
    ).rejects.toMatchObject({ code: 'failed_precondition', reason: 'replaying' })
  } finally {
    resolve()
  }
  await inState(letter.id, 'replayed')
  expect(await effectsOf('thing_slow')).toBe(1)
})

test('an event that was handled in the meantime has no second effect by its replay', async () => {
  const { letter, eventId, init } = await refusedEvent('thing_handled_since')
  refused.delete('thing_handled_since')
  await stage.publish('elsewhere', AuditRecordedSchema, init, { workspaceId, id: eventId })
  await until(async () => (await effectsOf('thing_handled_since')) === 1)
  await asked.replayDeadLetter(administrator(), named(letter.id))
  await inState(letter.id, 'replayed')
  expect(await effectsOf('thing_handled_since')).toBe(1)
})

test('a replay that fails leaves the event dead with the new error, raises the alert again, and can be asked for again', async () => {
  const { letter, eventId } = await refusedEvent('thing_refused_twice')
  const alerts = async () =>
    (await announced('alert_raised', (payload) => fromBinary(AlertRaisedSchema, payload))).filter(
      ({ detail }) => detail?.['event_id'] === eventId,
    ).length
  expect(await alerts()).toBe(1)
  await asked.replayDeadLetter(administrator(), named(letter.id))
  const dead = await until(async () => {
    const found = await get(letter.id)
    return found.attempts === 2 && found
  })
  expect([dead.state, dead.replayRequestedAt, await alerts()]).toEqual(['dead', undefined, 2])
  refused.delete('thing_refused_twice')
  await asked.replayDeadLetter(administrator(), named(letter.id))
  await inState(letter.id, 'replayed')
  expect(await effectsOf('thing_refused_twice')).toBe(1)
})

test('what is discarded with a reason never has its effect, even if it comes again, and the first reason stays', async () => {
  const { letter, eventId, init } = await refusedEvent('thing_discarded')
  for (const reason of ['', '   ', 'x'.repeat(501)])
    await expect(asked.discardDeadLetter(administrator(), { ...named(letter.id), reason })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'reason',
    })
  const { deadLetter } = await asked.discardDeadLetter(administrator(), { ...named(letter.id), reason: 'sent by hand' })
  expect(deadLetter).toMatchObject({ state: 'discarded', discardReason: 'sent by hand' })
  const again = await asked.discardDeadLetter(administrator(), { ...named(letter.id), reason: 'another' })
  expect(again.deadLetter).toEqual(deadLetter)
  await expect(asked.replayDeadLetter(administrator(), named(letter.id))).rejects.toMatchObject({
    code: 'failed_precondition',
  })

  refused.delete('thing_discarded')
  await stage.publish('elsewhere', AuditRecordedSchema, init, { workspaceId, id: eventId })
  await stage.publish('elsewhere', AuditRecordedSchema, { ...init, action: 'after_discarded' }, { workspaceId })
  await until(async () => (await effectsOf('after_discarded')) === 1)
  expect(await effectsOf('thing_discarded')).toBe(0)
  expect(await audited(letter.id)).toMatchObject([
    { action: 'dead_letter_discarded', actor: 'ops', detail: { reason: 'sent by hand' } },
  ])
})

test('what was replayed cannot be discarded', async () => {
  const { letter } = await refusedEvent('thing_settled')
  refused.delete('thing_settled')
  await asked.replayDeadLetter(administrator(), named(letter.id))
  await inState(letter.id, 'replayed')
  await expect(
    asked.discardDeadLetter(administrator(), { ...named(letter.id), reason: 'too late' }),
  ).rejects.toMatchObject({ code: 'failed_precondition' })
})

test('the list is filtered by consumer and state and comes in pages that meet, newest first', async () => {
  for (const action of ['one_listed', 'two_listed', 'three_listed']) await refusedEvent(action)
  const whole = (await asked.listDeadLetters(administrator(), { state: 'dead' })).deadLetters.map(({ id }) => id)
  expect(whole.length).toBeGreaterThanOrEqual(3)
  expect(whole).toEqual(whole.toSorted().toReversed())
  const read: string[] = []
  let cursor: string | undefined
  do {
    const page = await asked.listDeadLetters(administrator(), {
      state: 'dead',
      consumer: 'on-audit-recorded',
      limit: 1,
      ...(cursor === undefined ? {} : { cursor }),
    })
    read.push(...page.deadLetters.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(read).toEqual(whole)
  expect((await asked.listDeadLetters(administrator(), { consumer: 'nobody' })).deadLetters).toEqual([])
  await expect(asked.listDeadLetters(administrator(), { state: 'lost' })).rejects.toMatchObject({ reason: 'state' })
})

test('unknown ids are not there, and nobody but people who administer the platform asks', async () => {
  for (const id of [newId(), 'no-id']) await expect(get(id)).rejects.toMatchObject({ code: 'not_found' })
  const strangers = [stage.caller({ role: 'owner', workspaceId }), stage.caller({ platformRole: 'nobody' })]
  for (const stranger of strangers) {
    const denied = { code: 'permission_denied' }
    await expect(asked.listDeadLetters(stranger, {})).rejects.toMatchObject(denied)
    await expect(asked.getDeadLetter(stranger, named(newId()))).rejects.toMatchObject(denied)
    await expect(asked.replayDeadLetter(stranger, named(newId()))).rejects.toMatchObject(denied)
    await expect(asked.discardDeadLetter(stranger, { ...named(newId()), reason: 'x' })).rejects.toMatchObject(denied)
  }
})
