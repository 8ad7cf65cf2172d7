// This file has over 300 lines because its tests share one started service.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { Migration } from '@mikro-orm/migrations'
import { AlertRaisedSchema, AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { DeadLetters } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { contexts, newId, openDatabase, sql, type Context } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { connect, serveRpc, type Client } from '@lettergate/rpc'
import { createService, type Service } from '@lettergate/service'
import { openStage, until, type Stage } from '@lettergate/stage'
import { addPolls, removePolls } from '@lettergate/stage/polls'
import { deadLetterStates, eventTables, outboxGroups, outboxHeadersAsText, outboxWrittenOnce } from '../src/ddl.ts'
import { raiseWaiting } from '../src/raise-waiting.ts'
import { consume, consumer, deadLetters, firstTime, openBus, relayOutbox } from '../src/events.ts'

class First extends Migration {
  override up() {
    for (const statement of [
      ...eventTables(),
      ...deadLetterStates(),
      ...outboxWrittenOnce(),
      ...outboxHeadersAsText(),
      ...outboxGroups(),
      'create table effects (event_id uuid, name text)',
    ])
      this.addSql(statement)
  }
}
const schema = { schema: 'ledger', role: 'ledger', migrations: [{ name: '001-first', class: First }] }
const workspaceId = newId()

let stage: Stage
let service: Service
let db: Awaited<ReturnType<typeof openDatabase>>
let client: Client<typeof DeadLetters>
const refused = new Set<string>()
/** the slow events that the handler received, and the promises that it waits for, by action */
const received: { action: string; source: string }[] = []
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
      if (released) received.push({ action: data.action, source })
      await released
    }
    await ctx.tx(async (em) => {
      for (const { id, data } of await firstTime(em, events))
        await sql`insert into effects (event_id, name) values (${id}, ${data.action})`.execute(em.getKysely())
    })
  },
})

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('ledger', { logLevel: 'silent', bindAddress: '127.0.0.1' })
  db = await service.use(openDatabase(service, { url: stage.databaseUrl('ledger'), schema: 'ledger', entities: [] }))
  const bus = await service.use(openBus(service, stage.bus()))
  const ctx = contexts(db, service, {})
  await service.use(relayOutbox(service, db, bus))
  await service.use(consume(service, { bus, db, consumer: listener, ctxOf: ctx.ofEvent }))
  const { port } = await service.use(serveRpc(service, { port: 0, ...deadLetters(service, db) }))
  addPolls(service)
  client = await service.use(connect(service, `127.0.0.1:${port}`, DeadLetters))
})
afterAll(async () => {
  removePolls(service)
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
  const deadLetter = await until(async () => {
    const { deadLetters: listed } = await client.listDeadLetters(administrator(), {})
    return listed.find((one) => one.eventId === eventId)
  })
  return { deadLetter, eventId, subjectId, personId: detail.person_id, init }
}

const request = (deadLetterId: string) => ({ service: 'ledger', deadLetterId })
const get = async (id: string) => (await client.getDeadLetter(administrator(), request(id))).deadLetter!
const untilState = (id: string, state: string) => until(async () => (await get(id)).state === state && get(id))
const effectsOf = async (action: string) =>
  (await stage.query('select 1 from ledger.effects where name = $1', [action])).length
const published = async <T>(event: string, read: (payload: Uint8Array) => T): Promise<T[]> =>
  (
    await stage.query<{ payload: Uint8Array }>('select payload from ledger.outbox where event = $1 order by id', [
      event,
    ])
  ).map(({ payload }) => read(payload))
const auditRecordsOf = async (id: string) =>
  (await published('audit_recorded', (payload) => fromBinary(AuditRecordedSchema, payload))).filter(
    ({ subjectId }) => subjectId === id,
  )

test('a dead letter shows the event, its consumer and its error, without personal data', async () => {
  const { deadLetter, eventId, subjectId, personId } = await refusedEvent('thing_shown')
  expect(deadLetter).toMatchObject({
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
  expect(await get(deadLetter.id)).toEqual(deadLetter)
  // As a word: an id is hexadecimal and may contain "ada".
  expect(
    JSON.stringify(deadLetter, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toMatch(/\bada\b/i)
  expect(await stage.query(`select 1 from ledger.dead_letters where error like '%@%'`)).toEqual([])
})

test('a replay has its effect once, even if it is requested several times, and it is audited', async () => {
  const { deadLetter, eventId, init } = await refusedEvent('thing_replayed')
  refused.delete('thing_replayed')
  const answers = await Promise.all(
    [1, 2, 3].map(() => client.replayDeadLetter(administrator(), request(deadLetter.id))),
  )
  for (const { deadLetter } of answers) expect(['replaying', 'replayed']).toContain(deadLetter!.state)
  const replayed = await untilState(deadLetter.id, 'replayed')
  expect(replayed).toMatchObject({ attempts: 2, replayedAt: expect.anything() })

  expect((await client.replayDeadLetter(administrator(), request(deadLetter.id))).deadLetter).toEqual(replayed)
  await stage.publish('elsewhere', AuditRecordedSchema, init, { workspaceId, id: eventId })
  await stage.publish('elsewhere', AuditRecordedSchema, { ...init, action: 'after_replayed' }, { workspaceId })
  await until(async () => (await effectsOf('after_replayed')) === 1)
  expect(await effectsOf('thing_replayed')).toBe(1)
  expect(await auditRecordsOf(deadLetter.id)).toMatchObject([
    {
      action: 'dead_letter_replay_requested',
      actor: 'ops',
      detail: { service: 'ledger', consumer: 'on-audit-recorded', event_id: eventId },
    },
  ])
})

test('during a replay the event can be read, a second request starts no second replay, and it cannot be discarded', async () => {
  const { deadLetter } = await refusedEvent('thing_slow')
  refused.delete('thing_slow')
  const { promise, resolve } = Promise.withResolvers<void>()
  slow.set('thing_slow', promise)
  try {
    await client.replayDeadLetter(administrator(), request(deadLetter.id))
    await until(() => Promise.resolve(received.length > 0))
    expect(received).toEqual([{ action: 'thing_slow', source: 'elsewhere' }])
    expect(await get(deadLetter.id)).toMatchObject({ state: 'replaying' })
    const again = await client.replayDeadLetter(administrator(), request(deadLetter.id))
    expect(again.deadLetter).toMatchObject({ state: 'replaying' })
    await expect(
      client.discardDeadLetter(administrator(), { ...request(deadLetter.id), reason: 'too slow' }),
    ).rejects.toMatchObject({ code: 'failed_precondition', reason: 'replaying' })
  } finally {
    resolve()
  }
  await untilState(deadLetter.id, 'replayed')
  expect(await effectsOf('thing_slow')).toBe(1)
})

test('a replay of an event that was handled in the meantime has no second effect', async () => {
  const { deadLetter, eventId, init } = await refusedEvent('thing_handled_since')
  refused.delete('thing_handled_since')
  await stage.publish('elsewhere', AuditRecordedSchema, init, { workspaceId, id: eventId })
  await until(async () => (await effectsOf('thing_handled_since')) === 1)
  await client.replayDeadLetter(administrator(), request(deadLetter.id))
  await untilState(deadLetter.id, 'replayed')
  expect(await effectsOf('thing_handled_since')).toBe(1)
})

test('after a failed replay the event is dead with the new error, an alert is raised again, and a new replay can be requested', async () => {
  const { deadLetter, eventId } = await refusedEvent('thing_refused_twice')
  const alerts = async () =>
    (await published('alert_raised', (payload) => fromBinary(AlertRaisedSchema, payload))).filter(
      ({ detail }) => detail?.['event_id'] === eventId,
    ).length
  expect(await alerts()).toBe(1)
  await client.replayDeadLetter(administrator(), request(deadLetter.id))
  const dead = await until(async () => {
    const found = await get(deadLetter.id)
    return found.attempts === 2 && found
  })
  expect([dead.state, dead.replayRequestedAt, await alerts()]).toEqual(['dead', undefined, 2])
  refused.delete('thing_refused_twice')
  await client.replayDeadLetter(administrator(), request(deadLetter.id))
  await untilState(deadLetter.id, 'replayed')
  expect(await effectsOf('thing_refused_twice')).toBe(1)
})

test('the alert of a consumer ends with its last dead letter, whether it was replayed or discarded', async () => {
  const { deadLetter } = await refusedEvent('thing_last')
  const ends = async () =>
    (await published('alert_raised', (payload) => fromBinary(AlertRaisedSchema, payload))).filter(
      ({ code, about, isOver }) => isOver && code === 'dead_letter' && about === 'on-audit-recorded',
    ).length
  const before = await ends()
  const { deadLetters: dead } = await client.listDeadLetters(administrator(), { state: 'dead' })
  const others = dead.filter(({ id }) => id !== deadLetter.id)
  for (const { id } of others)
    await client.discardDeadLetter(administrator(), { ...request(id), reason: 'settled by hand' })
  expect([others.length > 0, await ends()]).toEqual([true, before])
  refused.delete('thing_last')
  await client.replayDeadLetter(administrator(), request(deadLetter.id))
  await untilState(deadLetter.id, 'replayed')
  expect(await ends()).toBe(before + 1)
})

test('events that wait for a service raise an alert that names the consumer and the error, without addresses', async () => {
  await raiseWaiting(db, service.log, {
    consumer: 'on-audit-recorded',
    error: new Fault('unavailable', 'identity', 'ada@example.com is away'),
  })
  const alerts = await published('alert_raised', (payload) => fromBinary(AlertRaisedSchema, payload))
  const [alert] = alerts.filter(({ code }) => code === 'events_waiting')
  expect(alert).toMatchObject({ severity: 'warning', about: 'on-audit-recorded', lastsSeconds: 1_800 })
  expect(alert!.detail).toMatchObject({
    consumer: 'on-audit-recorded',
    error: expect.not.stringContaining('ada@example.com'),
  })
})

test('a discarded event never has its effect, even if it is delivered again, and the first reason stays', async () => {
  const dead = async () => (await service.metrics.getSingleMetric('lettergate_dead_letters')!.get()).values[0]!.value
  const { deadLetter, eventId, init } = await refusedEvent('thing_discarded')
  const before = await dead()
  for (const reason of ['', '   ', 'x'.repeat(501)])
    await expect(
      client.discardDeadLetter(administrator(), { ...request(deadLetter.id), reason }),
    ).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'reason',
    })
  const { deadLetter: discarded } = await client.discardDeadLetter(administrator(), {
    ...request(deadLetter.id),
    reason: 'sent by hand',
  })
  expect(discarded).toMatchObject({ state: 'discarded', discardReason: 'sent by hand' })
  expect(await dead()).toBe(before - 1)
  const again = await client.discardDeadLetter(administrator(), { ...request(deadLetter.id), reason: 'another' })
  expect(again.deadLetter).toEqual(discarded)
  await expect(client.replayDeadLetter(administrator(), request(deadLetter.id))).rejects.toMatchObject({
    code: 'failed_precondition',
  })

  refused.delete('thing_discarded')
  await stage.publish('elsewhere', AuditRecordedSchema, init, { workspaceId, id: eventId })
  await stage.publish('elsewhere', AuditRecordedSchema, { ...init, action: 'after_discarded' }, { workspaceId })
  await until(async () => (await effectsOf('after_discarded')) === 1)
  expect(await effectsOf('thing_discarded')).toBe(0)
  expect(await auditRecordsOf(deadLetter.id)).toMatchObject([
    { action: 'dead_letter_discarded', actor: 'ops', detail: { reason: 'sent by hand' } },
  ])
})

test('a replayed event cannot be discarded', async () => {
  const { deadLetter } = await refusedEvent('thing_settled')
  refused.delete('thing_settled')
  await client.replayDeadLetter(administrator(), request(deadLetter.id))
  await untilState(deadLetter.id, 'replayed')
  await expect(
    client.discardDeadLetter(administrator(), { ...request(deadLetter.id), reason: 'too late' }),
  ).rejects.toMatchObject({ code: 'failed_precondition' })
})

test('the list has filters for consumer and state, and pages without gaps, newest first', async () => {
  for (const action of ['one_listed', 'two_listed', 'three_listed']) await refusedEvent(action)
  const whole = (await client.listDeadLetters(administrator(), { state: 'dead' })).deadLetters.map(({ id }) => id)
  expect(whole.length).toBeGreaterThanOrEqual(3)
  expect(whole).toEqual(whole.toSorted().toReversed())
  const read: string[] = []
  let cursor: string | undefined
  do {
    const page = await client.listDeadLetters(administrator(), {
      state: 'dead',
      consumer: 'on-audit-recorded',
      limit: 1,
      ...(cursor === undefined ? {} : { cursor }),
    })
    read.push(...page.deadLetters.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(read).toEqual(whole)
  expect((await client.listDeadLetters(administrator(), { consumer: 'nobody' })).deadLetters).toEqual([])
  await expect(client.listDeadLetters(administrator(), { state: 'lost' })).rejects.toMatchObject({ reason: 'state' })
})

test('unknown ids answer not_found, and only administrators of the platform may call', async () => {
  for (const id of [newId(), 'no-id']) await expect(get(id)).rejects.toMatchObject({ code: 'not_found' })
  const unauthorizedCallers = [stage.caller({ role: 'owner', workspaceId }), stage.caller({ platformRole: 'nobody' })]
  for (const unauthorized of unauthorizedCallers) {
    const denied = { code: 'permission_denied' }
    await expect(client.listDeadLetters(unauthorized, {})).rejects.toMatchObject(denied)
    await expect(client.getDeadLetter(unauthorized, request(newId()))).rejects.toMatchObject(denied)
    await expect(client.replayDeadLetter(unauthorized, request(newId()))).rejects.toMatchObject(denied)
    await expect(client.discardDeadLetter(unauthorized, { ...request(newId()), reason: 'x' })).rejects.toMatchObject(
      denied,
    )
  }
})
