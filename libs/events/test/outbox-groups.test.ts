import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Migration } from '@mikro-orm/migrations'
import { newId } from '@lettergate/database'
import { openStage, type Stage } from '@lettergate/stage'
import { eventTables, outboxGroups, outboxHeadersAsText, outboxWrittenOnce } from '../src/ddl.ts'
import { groupsOf } from '../src/event-batch.ts'
import type { EventHeaders } from '../src/outbox-event.entity.ts'

class BeforeGroups extends Migration {
  override up() {
    for (const statement of [...eventTables(), ...outboxWrittenOnce(), ...outboxHeadersAsText()]) this.addSql(statement)
  }
}

let stage: Stage
beforeAll(async () => {
  const schema = {
    schema: 'grouped',
    role: 'grouped',
    migrations: [{ name: '001-before-groups', class: BeforeGroups }],
  }
  stage = await openStage({ schemas: [schema] })
})
afterAll(() => stage.close())

test('an event that waits when its table is changed is sent as if it were published afterwards', async () => {
  const headers: EventHeaders = {
    type: 'lettergate.events.v1.GateChanged',
    correlationId: 'of "a request"',
    actor: 'editor',
    actorKind: 'human',
    authMethod: 'session',
    trace: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  }
  const byJob: EventHeaders = { type: headers.type, correlationId: 'c', actor: 'system:job', trace: {} }
  const rows = [
    { id: newId(), workspace_id: newId(), headers, payload: Buffer.alloc(200, 'x') },
    { id: newId(), workspace_id: null, headers: byJob, payload: Buffer.alloc(0) },
  ]
  for (const { id, workspace_id, headers: json, payload } of rows)
    await stage.query(
      `insert into grouped.outbox (id, event, workspace_id, headers, payload) values ($1, 'gate_changed', $2, $3, $4)`,
      [id, workspace_id, json, payload],
    )
  await stage.query(`set search_path to grouped; ${outboxGroups().join('; ')}`)
  const waiting = await stage.query<{
    event: string
    type: string
    ids: string[]
    event_count: number
    events: string
  }>('select event, type, ids, event_count, events from grouped.outbox_pending order by id')
  expect(waiting.map(({ events, ...row }) => ({ ...row, events: JSON.parse(events) as unknown }))).toEqual(
    rows.map((row) => ({
      event: 'gate_changed',
      type: headers.type,
      ids: [row.id],
      event_count: 1,
      events: JSON.parse(groupsOf([{ ...row, data: row.payload.toString('base64') }])[0]!.text) as unknown,
    })),
  )
})
