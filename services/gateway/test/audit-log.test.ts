// This file has over 300 lines because its tests share one started service.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'
import { contact } from './people-and-senders.ts'

const log = '/console/api/platform/audit-log'

let gateway: GatewayStage
let administrator: Browser
const workspaces: Record<string, string> = {}
beforeAll(async () => {
  gateway = await gatewayStage()
  administrator = await signIn(gateway, 'platform')
  const found = await gateway.stage.query<{ id: string; slug: string }>('select id, slug from identity.workspaces')
  for (const { id, slug } of found) workspaces[slug] = id
})
afterAll(() => gateway.close())

interface Entry {
  id: string
  action: string
  actor: string
  organization: string | null
  workspace: string | null
  subject_id: string
  occurred_at: string
  correlation_id: string | null
}

const ask = (query: Record<string, string>) =>
  administrator.call('GET', `${log}?${new URLSearchParams(query).toString()}`)
async function entriesOf(query: Record<string, string>): Promise<Entry[]> {
  const { status, json, text } = await ask(query)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return json['entries'] as Entry[]
}

const record = (
  action: string,
  more: { actor?: string; subjectId?: string; subjectType?: string } = {},
  workspace?: string,
) =>
  gateway.stage.publish(
    'imports',
    AuditRecordedSchema,
    { action, subjectType: 'import', subjectId: randomUUID(), actor: 'editor', detail: { rows: 2 }, ...more },
    workspace === undefined ? {} : { workspaceId: workspaces[workspace]! },
  )

const listed = (query: Record<string, string>, count: number) =>
  until(async () => {
    const found = await entriesOf(query)
    return found.length === count ? found : undefined
  })

describe('the audit log', () => {
  test('shows a platform suppression made through the API with actor, action, workspace, reason and correlation id', async () => {
    const contactId = await contact(gateway)
    const { json, headers } = await gateway.call('POST', `${newsletter}/contacts/${contactId}/suppress`, {
      as: 'owner',
      body: { scope: 'platform', reason: 'legal' },
    })
    const suppressionId = json['suppression_id'] as string
    const [entry] = await listed({ action: 'contact_suppressed' }, 1)
    expect(entry).toEqual({
      id: expect.any(String),
      occurred_at: expect.any(String),
      organization: 'acme',
      workspace: 'newsletter',
      action: 'contact_suppressed',
      subject_type: 'suppression',
      subject_id: suppressionId,
      actor: 'owner',
      actor_kind: 'human',
      auth_method: 'bearer',
      trace_id: null,
      detail: { contact_id: contactId, scope: 'platform', reason: 'legal' },
      correlation_id: headers.get('x-correlation-id'),
    })
  })

  test('shows actions outside of workspaces, such as the change of a gate', async () => {
    await administrator.call('PUT', '/console/api/platform/gates/automation_enabled', { body: { enabled: false } })
    const [entry] = await listed({ action: 'platform_gate_set' }, 1)
    expect(entry).toMatchObject({ actor: 'platform', auth_method: 'session', organization: null, workspace: null })
  })

  test('tells agents from humans, and finds the actions of one request by its correlation id', async () => {
    const { headers } = await gateway.call('POST', `${newsletter}/contact-field-definitions`, {
      as: 'agent',
      body: { field_key: 'audited', label: 'Audited', field_type: 'text' },
    })
    const [entry, ...others] = await listed({ correlation_id: headers.get('x-correlation-id')! }, 1)
    expect([entry, others]).toMatchObject([
      { action: 'contact_field_defined', actor: 'agent', actor_kind: 'agent', auth_method: 'bearer' },
      [],
    ])
  })

  test('shows refusals of changes by right, once a minute, and no refused reads or wrong bodies', async () => {
    const subscriptions = `${newsletter}/audiences/${randomUUID()}/subscribe`
    const body = { contact_id: randomUUID(), source: 'form', wording_version: '1' }
    for (let n = 0; n < 3; n += 1)
      expect((await gateway.call('POST', subscriptions, { as: 'analyst', body })).status).toBe(403)
    expect((await gateway.call('POST', subscriptions, { as: 'editor', body: {} })).status).toBe(422)
    const [entry] = await listed({ action: 'operation_refused', actor: 'analyst' }, 1)
    expect(entry).toMatchObject({
      workspace: 'newsletter',
      subject_id: 'subscribeContact',
      actor_kind: 'human',
      auth_method: 'bearer',
      detail: { code: 'permission_denied', reason: 'upsert_contacts', audience_id: expect.any(String) },
    })
  })

  test('shows refusals of a protected operation by its confirmation and by a gate', async () => {
    const activate = (confirmation: string) =>
      gateway.call('POST', `${newsletter}/activate-sending`, {
        as: 'owner',
        body: { confirmation, quota_reviewed: true },
      })
    for (const confirmation of ['please', 'ACTIVATE PRODUCTION SENDING'])
      expect((await activate(confirmation)).status).toBe(422)
    const refusals = await listed({ action: 'operation_refused', subject_id: 'activateWorkspaceSending' }, 2)
    expect(refusals.map(({ actor }) => actor)).toEqual(['owner', 'owner'])
  })

  test('is filtered by action, actor, subject, organization, workspace and time, combined', async () => {
    const subjectId = randomUUID()
    const filter = { action: 'import_applied', actor: 'analyst', subject_id: subjectId }
    const hit = await record(filter.action, { actor: 'analyst', subjectId }, 'newsletter')
    for (const [more, workspace] of [
      [{ actor: 'analyst', subjectId }, 'product'],
      [{ actor: 'analyst', subjectId, subjectType: 'contact' }, 'newsletter'],
      [{ actor: 'analyst', subjectId }, 'main'],
      [{ actor: 'admin', subjectId }, 'newsletter'],
      [{ actor: 'analyst' }, 'newsletter'],
    ] as const)
      await record(filter.action, more, workspace)
    await record('import_cancelled', { actor: 'analyst', subjectId }, 'newsletter')
    await listed({ subject_id: subjectId }, 6)
    await listed({ action: filter.action }, 6)

    expect(await entriesOf({ ...filter })).toHaveLength(4)
    expect(await entriesOf({ ...filter, organization: 'acme' })).toHaveLength(3)
    const there = { ...filter, organization: 'acme', workspace: 'newsletter', subject_type: 'import' }
    const [entry, ...others] = await entriesOf(there)
    expect([entry!.id, others]).toEqual([hit, []])

    const at = Date.parse(entry!.occurred_at)
    const moment = (ms: number) => new Date(at + ms).toISOString()
    expect(await entriesOf({ ...there, since: moment(0), until: moment(1) })).toHaveLength(1)
    expect(await entriesOf({ ...there, since: moment(1) })).toEqual([])
    expect(await entriesOf({ ...there, until: moment(0) })).toEqual([])
  })

  test('comes in pages without gaps, newest first, with any page size, also for one organization', async () => {
    for (let count = 0; count < 7; count += 1)
      await record('template_archived', {}, ['newsletter', 'product', 'main'][count % 3])
    await listed({ action: 'template_archived' }, 7)
    for (const whose of [{}, { organization: 'acme' }] as Record<string, string>[]) {
      const query = { action: 'template_archived', ...whose }
      const whole = (await entriesOf(query)).map(({ id }) => id)
      expect(whole).toEqual(whole.toSorted().toReversed())
      for (const limit of ['1', '2', '3']) {
        const read: string[] = []
        let cursor: string | null = null
        do {
          const { json } = await ask({ ...query, limit, ...(cursor === null ? {} : { cursor }) })
          read.push(...(json['entries'] as Entry[]).map(({ id }) => id))
          cursor = json['next_cursor'] as string | null
        } while (cursor !== null)
        expect(read).toEqual(whole)
      }
    }
  })

  test('refuses an invalid filter and names the field', async () => {
    const refused: [Record<string, string>, string][] = [
      [{ workspace: 'newsletter' }, 'organization must be given'],
      [{ organization: 'nobody' }, 'There is no organization'],
      [{ organization: 'acme', workspace: 'main' }, 'There is no workspace'],
      [{ since: 'yesterday' }, 'since'],
      [{ cursor: 'made-up' }, 'cursor'],
      [{ limit: '0' }, 'limit'],
    ]
    for (const [query, named] of refused) {
      const { status, text } = await ask(query)
      expect({ query, status, isNamed: text.includes(named) }).toEqual({ query, status: 422, isNamed: true })
    }
    const { next_cursor: cursor } = (await ask({ limit: '1' })).json
    expect((await administrator.call('GET', `/console/api/platform/alerts?cursor=${cursor as string}`)).status).toBe(
      422,
    )
  })

  test('is refused for users without a platform role, whatever their role in a workspace', async () => {
    const identity = await gateway.stage.client(Identity, gateway.rpcPort)
    await expect(
      identity.listAuditEntries(gateway.stage.caller({ workspaceId: workspaces['newsletter']! }), {}),
    ).rejects.toMatchObject({ code: 'permission_denied' })
  })
})

describe('the export of the audit log', () => {
  const exported = async (query: Record<string, string> = {}) => {
    const answer = await administrator.call('GET', `${log}/export?${new URLSearchParams(query).toString()}`)
    const lines = answer.text.split('\n')
    return { ...answer, lines, entries: () => lines.slice(0, -1).map((line) => JSON.parse(line) as Entry) }
  }

  test('has the same entries as the list, with the same filters, over many pages', async () => {
    const subjectId = randomUUID()
    const values = Array.from({ length: 2_500 }, (_, n) => n)
    await gateway.stage.query(
      `insert into identity.audit_log (id, workspace_id, action, subject_type, subject_id, actor, detail, occurred_at)
       select gen_random_uuid(), $2, 'import_exported', 'import', $1, 'editor', jsonb_build_object('row', n, 'text', E'line\\nbreak'), now()
         from unnest($3::int[]) n`,
      [subjectId, workspaces['newsletter'], values],
    )
    const { status, headers, lines, entries } = await exported({ subject_id: subjectId, organization: 'acme' })
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      'attachment; filename="audit-log.ndjson"',
    ])
    expect([lines.length, lines.at(-1)]).toEqual([2_501, ''])
    const all = entries()
    expect(new Set(all.map(({ id }) => id)).size).toBe(2_500)
    const read: Entry[] = []
    let cursor: string | null = null
    do {
      const { json } = await ask({ subject_id: subjectId, limit: '200', ...(cursor === null ? {} : { cursor }) })
      read.push(...(json['entries'] as Entry[]))
      cursor = json['next_cursor'] as string | null
    } while (cursor !== null)
    expect(all).toEqual(read)
    expect((await exported({ subject_id: randomUUID() })).text).toBe('')
  })

  test('is audited once for each export, with its filters and their ids, and without typed texts', async () => {
    const subjectId = randomUUID()
    const typed = { actor: 'grace@b.test', action: 'Grace Hopper', subject_type: 'grace' }
    const { headers } = await exported({
      ...typed,
      subject_id: subjectId,
      organization: 'acme',
      workspace: 'newsletter',
      since: '2026-01-01T00:00:00Z',
    })
    const [entry] = await until(async () => {
      const found = (await entriesOf({ action: 'audit_log_exported' })).filter(
        ({ correlation_id: id }) => id === headers.get('x-correlation-id'),
      )
      return found.length > 0 && found
    })
    expect(entry).toMatchObject({
      actor: 'platform',
      subject_type: 'audit_log',
      subject_id: 'platform',
      detail: {
        filters: {
          actor: 'not kept',
          action: 'not kept',
          subject_type: 'not kept',
          subject_id: subjectId,
          organization: 'acme',
          workspace: 'newsletter',
          since: '2026-01-01T00:00:00Z',
        },
      },
    })
    const kept = JSON.stringify(await gateway.stage.query(`select detail from identity.audit_log`))
    for (const value of Object.values(typed)) expect(kept).not.toContain(`"${value}"`)
  })

  test('refuses the same filters as the list, before the file begins', async () => {
    for (const query of [{ workspace: 'newsletter' }, { organization: 'nobody' }, { since: 'yesterday' }] as Record<
      string,
      string
    >[])
      expect({ query, status: (await exported(query)).status }).toEqual({ query, status: 422 })
  })

  test('stops reading when the client disconnects', async () => {
    await gateway.stage.query(
      `insert into identity.audit_log (id, action, subject_type, subject_id, actor, detail, occurred_at)
       select gen_random_uuid(), 'import_kept', 'import', 'large', 'editor', jsonb_build_object('text', repeat('x', 10000)), now()
         from generate_series(1, 6000)`,
    )
    const aborter = new AbortController()
    const { cookie } = administrator
    const response = await fetch(`${gateway.baseUrl}${log}/export?action=import_kept`, {
      headers: { cookie },
      signal: aborter.signal,
    })
    const reader = response.body!.getReader()
    await reader.read()
    aborter.abort()
    await until(async () => {
      const busy = await gateway.stage.query(
        `select 1 from pg_stat_activity where datname = current_database() and usename = 'identity' and state <> 'idle' and query like '%audit_log e%'`,
      )
      return busy.length === 0
    })
    expect((await ask({ limit: '1' })).status).toBe(200)
  })

  test('is refused at the start while two others are in progress, which continue', async () => {
    const begin = () => {
      const aborter = new AbortController()
      const { cookie } = administrator
      const answer = fetch(`${gateway.baseUrl}${log}/export?action=import_kept`, {
        headers: { cookie },
        signal: aborter.signal,
      })
      return { answer, cut: () => aborter.abort() }
    }
    // A recently completed export may still be counted.
    const begun = () =>
      until(async () => {
        const one = begin()
        return (await one.answer).status === 200 && one
      })
    const two = [await begun(), await begun()]
    try {
      const { status, headers, text } = await exported({ subject_id: randomUUID() })
      expect([status, headers.get('retry-after')]).toEqual([503, '60'])
      expect(text).toContain('Wait until one of them has ended')
      two[0]!.cut()
      await until(async () => (await exported({ subject_id: randomUUID() })).status === 200)
      expect(await (await two[1]!.answer).text()).toMatch(/\}\n$/)
    } finally {
      for (const { cut } of two) cut()
    }
  })
})
