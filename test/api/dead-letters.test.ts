import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import { AuditRecordedSchema, WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { eventName } from '@lettergate/events/message'
import { insertDeadLetter } from '@lettergate/campaigns-delivery/test/insert-dead-letter'
import { until } from '@lettergate/stage'
import { newestOf } from '@lettergate/gateway/dead-letters'
import { allServices } from './all-services.ts'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'

const deadLetters = '/console/api/platform/dead-letters'
/** The services by their schemas. */
const schemaOf: Record<string, string> = {
  gateway: 'identity',
  'contacts-consent': 'contacts',
  'sending-infra': 'sending',
  'campaigns-delivery': 'campaigns',
  imports: 'imports',
  automations: 'automations',
  'webhook-intake': 'webhooks',
}

let gateway: GatewayStage
let administrator: Browser
let acme: string
beforeAll(async () => {
  gateway = await gatewayStage({}, allServices)
  administrator = await signIn(gateway, 'platform')
  const [workspace] = await gateway.stage.query<{ id: string }>(
    `select id from identity.workspaces where slug = 'newsletter'`,
  )
  acme = workspace!.id
})
afterAll(() => gateway.close())

/** Repeats a request that is 503, because a list calls every service and a busy machine can cause a timeout. All these requests are safe to repeat. */
const ask: Browser['call'] = (...request) =>
  until(
    async () => {
      const answer = await administrator.call(...request)
      return answer.status !== 503 && answer
    },
    { what: 'every service to answer' },
  )

interface DeadLetter {
  id: string
  service: string
  state: string
  [field: string]: unknown
}

async function keep<S extends DescMessage>(service: string, consumer: string, event: S, init: MessageInitShape<S>) {
  const failed = { schema: schemaOf[service]!, consumer, workspaceId: acme, event, init }
  const { id, eventId } = await insertDeadLetter(gateway.stage, failed)
  return { id, eventId, address: `${deadLetters}/${service}/${id}` }
}

const list = async (query: Record<string, string> = {}) => {
  const { status, json, text } = await ask('GET', `${deadLetters}?${new URLSearchParams(query).toString()}`)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return { found: json['dead_letters'] as DeadLetter[], cursor: json['next_cursor'] as string | null }
}
const thing = (action: string) => ({ action, subjectType: 'thing', subjectId: newId(), actor: 'editor', detail: {} })
const entries = async (query: string) =>
  (await ask('GET', `/console/api/platform/audit-log?${query}`)).json['entries'] as object[]

test('dead letters of every service are listed together, newest first, in pages without gaps, and by service', async () => {
  const kept: string[] = []
  for (const service of [...Object.keys(schemaOf), ...Object.keys(schemaOf)])
    kept.unshift((await keep(service, 'on-thing', AuditRecordedSchema, thing('thing_listed'))).id)
  for (const limit of ['1', '3', '50']) {
    const read: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({
        consumer: 'on-thing',
        limit,
        ...(cursor === null ? {} : { cursor }),
      })
      read.push(...page.found.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== null)
    expect(read).toEqual(kept)
  }
  for (const service of Object.keys(schemaOf)) {
    const { found } = await list({ service, consumer: 'on-thing' })
    expect(found.map((one) => one.service)).toEqual([service, service])
  }
})

test('a dead letter is shown with ids, times and its cleaned error; a replay has its effect once and is audited', async () => {
  const { id, eventId, address } = await keep(
    'gateway',
    'on-audit-recorded',
    AuditRecordedSchema,
    thing('thing_replayed'),
  )
  expect((await ask('GET', address)).json['dead_letter']).toEqual({
    id,
    service: 'gateway',
    consumer: 'on-audit-recorded',
    state: 'dead',
    event: eventName(AuditRecordedSchema),
    event_id: eventId,
    announced_by: 'gateway',
    announced_at: expect.any(String),
    workspace_id: acme,
    correlation_id: 'of-the-request',
    trace_id: '0123456789abcdef0123456789abcdef',
    payload_ids: { subject_id: expect.any(String) },
    attempts: 10,
    error_class: 'error',
    error_message: 'no room for [address]',
    failed_at: expect.any(String),
    replay_requested_at: null,
    replayed_at: null,
    discarded_at: null,
    discard_reason: null,
  })
  for (const _ of [1, 2]) expect((await ask('POST', `${address}/replay`)).status).toBe(200)
  await until(async () => ((await ask('GET', address)).json['dead_letter'] as DeadLetter).state === 'replayed')
  expect(await entries('action=thing_replayed')).toMatchObject([
    { id: eventId, actor: 'editor', workspace: 'newsletter', correlation_id: 'of-the-request' },
  ])
  const asked = await until(async () => {
    const found = await entries(`action=dead_letter_replay_requested&subject_id=${id}`)
    return found.length > 0 && found
  })
  expect(asked).toMatchObject([{ actor: 'platform', workspace: 'newsletter', detail: { service: 'gateway' } }])
})

test('another service replays its own', async () => {
  const workspaceId = newId()
  const init = { workspaceId, organization: 'acme', workspace: 'later', name: 'Later' }
  const { address } = await keep('contacts-consent', 'on-workspace-changed', WorkspaceChangedSchema, init)
  expect((await ask('POST', `${address}/replay`)).status).toBe(200)
  await until(
    async () =>
      (await gateway.stage.query('select 1 from contacts.workspaces where workspace_id = $1', [workspaceId])).length ===
      1,
  )
})

test('discarding takes a reason of 1 to 500 characters, is final and audited', async () => {
  const { id, address } = await keep('imports', 'on-thing', AuditRecordedSchema, thing('thing_discarded'))
  const discard = (body: object) => ask('POST', `${address}/discard`, { body })
  for (const body of [{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(501) }]) {
    const { status, text } = await discard(body)
    expect({ body, status, isNamed: text.includes('reason') }).toEqual({ body, status: 422, isNamed: true })
  }
  for (const reason of ['done by hand', 'another']) {
    const { status, json } = await discard({ reason })
    expect([status, json['dead_letter']]).toMatchObject([200, { state: 'discarded', discard_reason: 'done by hand' }])
  }
  expect((await ask('POST', `${address}/replay`)).status).toBe(422)
  const told = await until(async () => {
    const found = await entries(`action=dead_letter_discarded&subject_id=${id}`)
    return found.length > 0 && found
  })
  expect(told).toMatchObject([{ actor: 'platform', detail: { service: 'imports', reason: 'done by hand' } }])
})

test('an unknown id, an unknown service and an id of another service are 404', async () => {
  const { id, eventId } = await keep('imports', 'on-thing', AuditRecordedSchema, thing('thing_elsewhere'))
  for (const path of [
    `imports/${newId()}`,
    `imports/${eventId}`,
    `automations/${id}`,
    `nobody/${id}`,
    'imports/no-id',
  ]) {
    expect({ path, status: (await ask('GET', `${deadLetters}/${path}`)).status }).toEqual({
      path,
      status: 404,
    })
    for (const verb of ['replay', 'discard']) {
      const { status } = await ask('POST', `${deadLetters}/${path}/${verb}`, { body: { reason: 'x' } })
      expect({ path, verb, status }).toEqual({ path, verb, status: 404 })
    }
  }
  for (const query of ['service=nobody', 'state=lost', 'limit=0', 'cursor=made-up'])
    expect({ query, status: (await ask('GET', `${deadLetters}?${query}`)).status }).toEqual({
      query,
      status: 422,
    })
})

test('a merged page has a next page exactly when more entries exist', () => {
  const rowsOf = (...ids: string[]) => ids.map((id) => ({ id }) as never)
  const ids = Array.from({ length: 4 }, newId).toReversed() as [string, string, string, string]
  const two = [{ deadLetters: rowsOf(ids[0], ids[2]) }, { deadLetters: rowsOf(ids[1], ids[3]) }]
  expect(newestOf(two, 4)).toEqual({ deadLetters: rowsOf(...ids) })
  expect(newestOf(two, 3)).toMatchObject({ deadLetters: rowsOf(...ids.slice(0, 3)), nextCursor: expect.any(String) })
  expect(newestOf([{ deadLetters: [] }, { deadLetters: [] }], 3)).toEqual({ deadLetters: [] })
})
