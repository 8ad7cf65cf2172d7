import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, subscriber } from '@lettergate/gateway/test/people-and-senders'
import { readyToSend, type ReadyStage } from './ready-to-send.ts'

const product = newsletter.replace('newsletter', 'product')
const console_ = newsletter.replace('/api/v1', '/console/api')
const nobody = '0190a3a0-0000-7000-8000-000000000000'
const hourMs = 3_600_000

let made: ReadyStage
let gateway: GatewayStage
let editor: Browser
let analyst: Browser
let audienceId: string
beforeAll(async () => {
  made = await readyToSend()
  gateway = made.gateway
  editor = await signIn(gateway, 'editor')
  analyst = await signIn(gateway, 'analyst')
  audienceId = await audience(gateway)
  await subscriber(gateway, audienceId)
})
afterAll(() => gateway.close())

const draftBody = (of: ReadyStage, more: object = {}) => ({
  name: 'Spring',
  sender_identity_id: of.senderId,
  content_version_id: of.contentVersionId,
  ...more,
})
const post = (path: string, body: object = {}, { as = 'admin', workspace = newsletter, key = '' } = {}) =>
  gateway.call('POST', `${workspace}${path}`, { as, body, headers: key === '' ? {} : { 'idempotency-key': key } })
type Campaign = Record<string, unknown> & { id: string; draft: Record<string, unknown> }
type Run = Record<string, unknown> & { id: string }
const draft = async () =>
  (await post('/campaign-drafts', draftBody(made, { audience_id: audienceId }))).json['campaign'] as Campaign
const schedule = (campaignId: string, { key = randomUUID(), inMs = hourMs } = {}) =>
  post(
    `/campaign-drafts/${campaignId}/schedule`,
    { scheduled_for: new Date(Date.now() + inMs).toISOString() },
    { as: 'editor', key },
  )
const scheduled = async () => (await schedule((await draft()).id)).json['campaign_run'] as Run
const runOf = async (id: string) =>
  (await gateway.call('GET', `${newsletter}/campaign-runs/${id}`, { as: 'analyst' })).json['campaign_run'] as Run

describe('draft versions over the API', () => {
  test('are appended by an editor and replace nothing', async () => {
    const { id } = await draft()
    const { status, json } = await post(
      `/campaign-drafts/${id}/versions`,
      draftBody(made, { audience_id: audienceId, name: 'Summer' }),
      { as: 'editor' },
    )
    expect(status).toBe(200)
    expect(json).toEqual({
      campaign: {
        id,
        status: 'draft',
        current_version: 2,
        draft: {
          id: expect.any(String),
          version: 2,
          name: 'Summer',
          audience_id: audienceId,
          audience_ids: [audienceId],
          sender_identity_id: made.senderId,
          content_version_id: made.contentVersionId,
        },
      },
    })
    expect((await post(`/campaign-drafts/${id}/versions`, {}, { as: 'analyst' })).status).toBe(403)
    for (const field of ['name', 'audience_id', 'sender_identity_id', 'content_version_id']) {
      const wrong = draftBody(made, { audience_id: audienceId, [field]: field === 'name' ? '' : 'x' })
      const refused = await post(`/campaign-drafts/${id}/versions`, wrong)
      expect([refused.status, refused.text.includes(field)]).toEqual([422, true])
    }
    const whole = draftBody(made, { audience_id: audienceId })
    for (const stray of [nobody, 'no-id'])
      expect((await post(`/campaign-drafts/${stray}/versions`, whole)).status).toBe(404)
    expect((await post(`/campaign-drafts/${id}/versions`, whole, { as: 'owner', workspace: product })).status).toBe(404)
  })
})

describe('drafts at the console', () => {
  const create = (more: object, as = editor) =>
    as.call('POST', `${console_}/campaign-drafts`, { body: draftBody(made, more) })

  test('have a tag filter and notes, null when not given, and are scheduled for the matching contacts, once each', async () => {
    const second = await audience(gateway)
    const { contactId } = await subscriber(gateway, audienceId, { tags: ['vip', 'both'] })
    await post(`/audiences/${second}/subscribe`, { contact_id: contactId, source: 't', wording_version: 'v1' })
    const { contactId: cold } = await subscriber(gateway, second, { tags: ['vip'] })
    await post(`/contacts/${cold}/suppress`, { scope: 'workspace', reason: 'manual' })
    const answer = await create({ audience_ids: [audienceId, second], tag_filter: { any: ['vip'] }, notes: 'mind' })
    expect(answer.status).toBe(200)
    const campaign = answer.json['campaign'] as Campaign
    expect(campaign).toMatchObject({
      status: 'draft',
      current_version: 1,
      draft: { audience_id: null, audience_ids: [audienceId, second], tag_filter: { any: ['vip'] }, notes: 'mind' },
    })
    const run = (await schedule(campaign.id)).json['campaign_run'] as Run
    expect(run).toMatchObject({
      state: 'scheduled',
      included_count: 1,
      excluded_count: 1,
      exclusion_counts: { suppressed_workspace: 1 },
    })
    const plain = (await create({ audience_ids: [audienceId] })).json['campaign'] as Campaign
    expect(plain.draft).toMatchObject({ audience_id: audienceId, tag_filter: null, notes: null })
    const version = await editor.call('POST', `${console_}/campaign-drafts/${plain.id}/versions`, {
      body: draftBody(made, { audience_ids: [audienceId, second], tag_filter: null, notes: null }),
    })
    expect(version.json['campaign']).toMatchObject({
      current_version: 2,
      draft: { audience_id: null, tag_filter: null },
    })
  })

  test('are refused with the name of the invalid field', async () => {
    for (const [field, more] of [
      ['audience_ids', {}],
      ['audience_ids', { audience_ids: [] }],
      ['audience_ids', { audience_ids: [nobody] }],
      ['audience_ids', { audience_ids: 'x' }],
      ['tag_filter', { audience_ids: [audienceId], tag_filter: { anny: ['vip'] } }],
      ['tag_filter', { audience_ids: [audienceId], tag_filter: { any: [''] } }],
      ['tag_filter', { audience_ids: [audienceId], tag_filter: ['vip'] }],
      ['notes', { audience_ids: [audienceId], notes: 7 }],
    ] as const) {
      const { status, text } = await create(more)
      expect({ field, more, status, named: text.includes(field) }).toEqual({ field, more, status: 422, named: true })
    }
    expect((await create({ audience_ids: [audienceId] }, analyst)).status).toBe(403)
  })

  test('are listed, read with versions and runs, and deleted while unsent', async () => {
    const run = await scheduled()
    const campaignId = run['campaign_id'] as string
    const list = await analyst.call('GET', `${console_}/campaigns?status=scheduled&limit=1`)
    expect([list.status, (list.json['campaigns'] as Campaign[]).map(({ id }) => id)]).toEqual([200, [campaignId]])
    expect((await analyst.call('GET', `${console_}/campaigns?status=lost`)).status).toBe(422)
    const path = `${console_}/campaigns/${campaignId}`
    const read = await analyst.call('GET', path)
    expect(read.json).toMatchObject({
      campaign: { id: campaignId, status: 'scheduled' },
      versions: [{ version: 1 }],
      runs: [{ id: run.id, state: 'scheduled', draft_version: 1, started_at: null, held_by: null }],
    })
    expect((await analyst.call('DELETE', path)).status).toBe(403)
    const kept = await editor.call('DELETE', path)
    expect([kept.status, kept.text.includes(run.id)]).toEqual([422, true])
    await post(`/campaign-runs/${run.id}/unschedule`, {}, { as: 'editor' })
    const deleted = await editor.call('DELETE', path)
    expect([deleted.status, deleted.json]).toEqual([200, { deleted: true }])
    for (const method of ['GET', 'DELETE']) expect((await editor.call(method, path)).status).toBe(404)
    const owner = await signIn(gateway, 'owner')
    const other = (await draft()).id
    expect((await owner.call('DELETE', `${console_}/campaigns/${other}`.replace('newsletter', 'product'))).status).toBe(
      404,
    )
    expect((await analyst.call('GET', `${console_}/campaigns/${other}`)).status).toBe(200)
  })
})

describe('controls of runs', () => {
  test('change the state of a run, each for users with its capability', async () => {
    const { id } = await scheduled()
    const path = `/campaign-runs/${id}`
    expect((await post(`${path}/pause`, {}, { as: 'editor' })).status).toBe(403)
    for (const [control, state] of [
      ['pause', 'paused'],
      ['resume', 'scheduled'],
      ['cancel', 'cancelled'],
    ] as const) {
      const { status, json } = await post(`${path}/${control}`)
      expect([status, (json['campaign_run'] as Run)['state']]).toEqual([200, state])
      expect(await runOf(id)).toEqual(json['campaign_run'])
    }
    for (const control of ['pause', 'resume', 'cancel', 'unschedule']) {
      const { status, text } = await post(`${path}/${control}`)
      expect([status, text.includes('this one is cancelled')]).toEqual([422, true])
    }
    expect((await runOf(id))['state']).toBe('cancelled')
  })

  test('unschedule needs the capability of scheduling and restores the draft', async () => {
    const campaign = await draft()
    const key = randomUUID()
    const first = (await schedule(campaign.id, { key })).json['campaign_run'] as Run
    expect((await post(`/campaign-runs/${first.id}/unschedule`, {}, { as: 'analyst' })).status).toBe(403)
    const { status, json } = await post(`/campaign-runs/${first.id}/unschedule`, {}, { as: 'editor' })
    expect([status, (json['campaign_run'] as Run)['state']]).toEqual([200, 'unscheduled'])
    expect((await schedule(campaign.id)).status).toBe(200)
  })

  test('are 404 for an unknown control, a missing run and a run of another workspace', async () => {
    const { id } = await scheduled()
    for (const action of ['stop', 'Pause', 'unschedule%20', 'constructor'])
      expect({ action, status: (await post(`/campaign-runs/${id}/${action}`)).status }).toEqual({ action, status: 404 })
    for (const run of [nobody, 'no-id'])
      for (const action of ['pause', 'unschedule'])
        expect((await post(`/campaign-runs/${run}/${action}`)).status).toBe(404)
    for (const action of ['pause', 'unschedule'])
      expect((await post(`/campaign-runs/${id}/${action}`, {}, { as: 'owner', workspace: product })).status).toBe(404)
    expect((await runOf(id))['state']).toBe('scheduled')
  })
})

describe('scheduling over the API', () => {
  test('a replay answers the original with 200, another campaign under the key is 409, no key is 422', async () => {
    const [one, other] = [await draft(), await draft()]
    const body = { scheduled_for: new Date(Date.now() + hourMs).toISOString() }
    const ask = (id: string, key: string, more: object = body) =>
      post(`/campaign-drafts/${id}/schedule`, more, { as: 'editor', key })
    const first = await ask(one.id, 'a key')
    const again = await ask(one.id, 'a key')
    expect([again.status, again.json]).toEqual([200, first.json])
    expect((await ask(other.id, 'a key')).status).toBe(409)
    const keyless = await ask(other.id, '')
    expect([keyless.status, keyless.text.includes('Idempotency-Key')]).toEqual([422, true])
    for (const scheduled_for of ['2035-02-30T10:00:00Z', '2035-01-01T10:00:00', '2001-01-01T10:00:00Z', 'soon', 5]) {
      const { status, text } = await ask(other.id, randomUUID(), { scheduled_for })
      expect({ scheduled_for, status, named: text.includes('scheduled_for') }).toEqual({
        scheduled_for,
        status: 422,
        named: true,
      })
    }
  })
})
