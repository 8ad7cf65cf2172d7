// This file has over 300 lines because its tests share one started service.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@lettergate/database'
import type { Fault } from '@lettergate/fault'
import { until } from '@lettergate/stage'
import pg from 'pg'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
let audience: string

beforeAll(async () => {
  rig = await openDelivery()
  audience = await rig.audience()
  for (const name of ['a', 'b', 'c']) await rig.subscriber(audience, `${name}@example.org`)
})
afterAll(() => rig.close())

const hourMs = 3_600_000
const schedule = (campaignId: string, options: { key?: string; at?: Date; expectedVersion?: number } = {}) =>
  rig.campaigns.scheduleCampaign(rig.us, {
    campaignId,
    ...(options.expectedVersion !== undefined && { expectedVersion: options.expectedVersion }),
    scheduledFor: timestampFromDate(options.at ?? new Date(Date.now() + hourMs)),
    idempotencyKey: options.key ?? newId(),
  })

async function faultOf(call: Promise<unknown>): Promise<Fault> {
  try {
    await call
  } catch (error) {
    return error as Fault
  }
  throw new Error('the call was expected to fail')
}

const rowsOf = async (campaignId: string) => {
  const [counts] = await rig.stage.query<{ runs: number; keys: number; status: string }>(
    `select (select count(*)::int from campaigns.campaign_runs where campaign_id = $1) as runs,
            (select count(*)::int from campaigns.idempotency_keys) as keys, status from campaigns.campaigns where id = $1`,
    [campaignId],
  )
  return counts!
}

describe('each condition refuses separately, with its reason, and stores nothing', () => {
  const closed: [reason: string, close: () => Promise<unknown>, open: () => Promise<unknown>][] = [
    ['production_switch', () => rig.setGate(false), () => rig.setGate(true)],
    ['workspace_sending_disabled', () => rig.setWorkspace({ sending: false }), () => rig.setWorkspace({})],
    ['workspace_archived', () => rig.setWorkspace({ isArchived: true }), () => rig.setWorkspace({})],
    [
      'connection_not_verified',
      () => rig.changeSending('provider_connections', rig.connectionId, 'is_active = false'),
      () => rig.changeSending('provider_connections', rig.connectionId, 'is_active = true'),
    ],
    [
      'sender_disabled',
      () => rig.changeSending('sender_identities', rig.senderId, 'is_enabled = false'),
      () => rig.changeSending('sender_identities', rig.senderId, 'is_enabled = true'),
    ],
    [
      'sender_not_ready',
      () => rig.changeSending('sending_domains', rig.domainId, `spf_state = 'failed'`),
      () => rig.changeSending('sending_domains', rig.domainId, `spf_state = 'verified'`),
    ],
    [
      'domain_check_outdated',
      () => rig.changeSending('sending_domains', rig.domainId, `checked_at = checked_at - interval '25 hours'`),
      () => rig.changeSending('sending_domains', rig.domainId, `checked_at = checked_at + interval '25 hours'`),
    ],
    [
      'audience_archived',
      () => rig.stage.query('update contacts.audiences set archived_at = now() where id = $1', [audience]),
      () => rig.stage.query('update contacts.audiences set archived_at = null where id = $1', [audience]),
    ],
  ]
  test.each(closed)('%s', async (reason, close, open) => {
    const { campaignId } = await rig.draft(audience)
    await close()
    const before = await rowsOf(campaignId)
    const fault = await faultOf(schedule(campaignId))
    await open()
    expect({ code: fault.code, reason: fault.reason }).toEqual({ code: 'failed_precondition', reason })
    expect(await rowsOf(campaignId)).toEqual({ ...before, runs: 0, status: 'draft' })
  })

  test('an archived template', async () => {
    const { campaignId, templateId } = await rig.draft(audience)
    await rig.campaigns.archiveEmailTemplate(rig.us, { templateId })
    expect(await faultOf(schedule(campaignId))).toMatchObject({
      code: 'failed_precondition',
      reason: 'content_archived',
    })
    await rig.campaigns.archiveEmailTemplate(rig.us, { templateId, archived: false })
    expect((await schedule(campaignId)).campaignRun!.state).toBe('scheduled')
  })

  test('a sender that was deleted', async () => {
    const { campaignId } = await rig.draft(audience)
    await rig.stage.query(`alter table campaigns.campaign_draft_versions disable trigger user`)
    await rig.stage.query(
      `update campaigns.campaign_draft_versions set sender_identity_id = $2 where campaign_id = $1`,
      [campaignId, newId()],
    )
    await rig.stage.query(`alter table campaigns.campaign_draft_versions enable trigger user`)
    expect((await faultOf(schedule(campaignId))).reason).toBe('sender_missing')
  })

  test('a time that is missing or not in the future', async () => {
    const { campaignId } = await rig.draft(audience)
    expect(await faultOf(schedule(campaignId, { at: new Date(Date.now() - 1_000) }))).toMatchObject({
      code: 'invalid_argument',
      reason: 'scheduled_for',
    })
    expect(await faultOf(rig.campaigns.scheduleCampaign(rig.us, { campaignId, idempotencyKey: 'k' }))).toMatchObject({
      code: 'invalid_argument',
      reason: 'scheduled_for',
    })
  })

  test('a campaign that is not a draft', async () => {
    const { campaignId } = await rig.draft(audience)
    await schedule(campaignId)
    expect(await faultOf(schedule(campaignId))).toMatchObject({
      code: 'failed_precondition',
      reason: 'campaign_not_draft',
    })
  })

  test('a missing key, or a key that is too long', async () => {
    const { campaignId } = await rig.draft(audience)
    expect(await faultOf(schedule(campaignId, { key: '' }))).toMatchObject({
      code: 'invalid_argument',
      reason: 'Idempotency-Key',
    })
    expect(await faultOf(schedule(campaignId, { key: 'k'.repeat(201) }))).toMatchObject({ code: 'invalid_argument' })
  })
})

describe('an expected version', () => {
  test('that is not current refuses, says who saved the current one, and stores nothing', async () => {
    const { campaignId, contentVersionId } = await rig.draft(audience)
    await rig.campaigns.createCampaignDraftVersion(rig.us, {
      campaignId,
      name: 'Another',
      audienceId: audience,
      senderIdentityId: rig.senderId,
      contentVersionId,
    })
    const before = await rowsOf(campaignId)
    expect(await faultOf(schedule(campaignId, { expectedVersion: 1 }))).toMatchObject({
      code: 'conflict',
      reason: 'campaign_changed',
      message: expect.stringMatching(
        /^Version 2 of this campaign was saved by tester at \S+Z, and you began with version 1\. Nothing was scheduled\./,
      ),
    })
    expect(await rowsOf(campaignId)).toEqual({ ...before, runs: 0, status: 'draft' })
    expect((await schedule(campaignId, { expectedVersion: 2 })).campaignRun!.state).toBe('scheduled')
  })

  test('is part of the request that a key belongs to', async () => {
    const { campaignId } = await rig.draft(audience)
    const request = { key: newId(), at: new Date(Date.now() + hourMs), expectedVersion: 1 }
    const { campaignRun } = await schedule(campaignId, request)
    expect((await schedule(campaignId, request)).campaignRun!.id).toBe(campaignRun!.id)
    expect(await faultOf(schedule(campaignId, { ...request, expectedVersion: 2 }))).toMatchObject({
      code: 'conflict',
      reason: (await faultOf(schedule(campaignId, { key: request.key }))).reason,
    })
  })
})

describe('a key belongs to one run', () => {
  test('a repeat returns the original run, also after the campaign left draft and its time has passed', async () => {
    const { campaignId } = await rig.draft(audience)
    const at = new Date(Date.now() + hourMs)
    const first = await schedule(campaignId, { key: 'once', at })
    try {
      rig.stage.clock.advance(2 * hourMs)
      expect((await faultOf(schedule(campaignId, { key: 'another', at }))).reason).toBe('scheduled_for')
      const again = await schedule(campaignId, { key: 'once', at })
      expect(again.campaignRun!.id).toBe(first.campaignRun!.id)
    } finally {
      rig.stage.clock.release()
    }
    expect((await rowsOf(campaignId)).runs).toBe(1)
  })

  test('the same key with another time, or for another campaign, is a conflict', async () => {
    const { campaignId } = await rig.draft(audience)
    const { campaignId: other } = await rig.draft(audience)
    const at = new Date(Date.now() + hourMs)
    await schedule(campaignId, { key: 'mine', at })
    expect((await faultOf(schedule(campaignId, { key: 'mine', at: new Date(at.getTime() + 1_000) }))).code).toBe(
      'conflict',
    )
    expect((await faultOf(schedule(other, { key: 'mine', at }))).code).toBe('conflict')
    expect((await rowsOf(other)).status).toBe('draft')
  })

  test('20 identical concurrent requests create one run and get the same answer', async () => {
    const { campaignId } = await rig.draft(audience)
    const at = new Date(Date.now() + hourMs)
    const answers = await Promise.all(Array.from({ length: 20 }, () => schedule(campaignId, { key: 'together', at })))
    expect(new Set(answers.map(({ campaignRun }) => campaignRun!.id)).size).toBe(1)
    expect((await rowsOf(campaignId)).runs).toBe(1)
  })

  test('a refused request does not use its key', async () => {
    const { campaignId } = await rig.draft(audience)
    const at = new Date(Date.now() + hourMs)
    await rig.setGate(false)
    await faultOf(schedule(campaignId, { key: 'later', at }))
    await rig.setGate(true)
    expect((await schedule(campaignId, { key: 'later', at })).campaignRun!.state).toBe('scheduled')
  })

  test('different concurrent keys for one campaign create one run', async () => {
    const { campaignId } = await rig.draft(audience)
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => schedule(campaignId)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await rowsOf(campaignId)).runs).toBe(1)
  })
})

describe('the snapshot', () => {
  test('contains eligible contacts, counts the others under every reason, and never changes', async () => {
    const mixed = await rig.audience()
    await rig.subscriber(mixed, 'in@example.org')
    const out = await rig.subscriber(mixed, 'out@example.org')
    await rig.contacts.suppressContact(rig.us, { contactId: out, scope: 'workspace', reason: 'manual' })
    await rig.contacts.suppressContact(rig.us, {
      contactId: out,
      scope: 'audience',
      audienceId: mixed,
      reason: 'manual',
    })
    const { campaignId } = await rig.draft(mixed)
    const { campaignRun } = await schedule(campaignId)
    expect(campaignRun).toMatchObject({
      includedCount: 1,
      excludedCount: 1,
      exclusionCounts: { suppressed_workspace: 1, suppressed_audience: 1 },
    })
    const recipients = await rig.stage.query<{ normalized_email: string }>(
      'select normalized_email from campaigns.run_recipients where run_id = $1',
      [campaignRun!.id],
    )
    expect(recipients).toEqual([{ normalized_email: 'in@example.org' }])
    await expect(
      rig.stage.query('update campaigns.snapshots set included_count = 7 where run_id = $1', [campaignRun!.id]),
    ).rejects.toThrow('never changed')
  })

  test('that cannot be completed leaves no run, no recipient and no key', async () => {
    const { campaignId } = await rig.draft(audience)
    await rig.stage.query(`alter table campaigns.snapshots add constraint refuse check (false) not valid`)
    await faultOf(schedule(campaignId, { key: 'half-way' }))
    await rig.stage.query(`alter table campaigns.snapshots drop constraint refuse`)
    expect(await rowsOf(campaignId)).toMatchObject({ runs: 0, status: 'draft' })
    const orphans = await rig.stage.query(
      'select 1 from campaigns.run_recipients r where not exists (select 1 from campaigns.campaign_runs where id = r.run_id)',
    )
    expect(orphans).toHaveLength(0)
    expect((await schedule(campaignId, { key: 'half-way' })).campaignRun!.includedCount).toBe(3)
  })
})

test('that takes longer than the caller waits is still built, and the same key returns its run', async () => {
  const { campaignId } = await rig.draft(audience)
  const request = {
    campaignId,
    scheduledFor: timestampFromDate(new Date(Date.now() + hourMs)),
    idempotencyKey: 'slow-snapshot',
  }
  const holder = new pg.Client({ connectionString: rig.stage.adminUrl })
  await holder.connect()
  await holder.query('begin; lock table contacts.memberships in access exclusive mode')
  // On a slow machine the caller can give up before the run is stored.
  const begun = await until(
    async () => {
      const fault = await faultOf(rig.campaigns.scheduleCampaign(rig.us, request, { timeoutMs: 1_200 }))
      expect(fault.code).toBe('unavailable')
      const rows = await rig.stage.query<{ id: string }>(
        `select id from campaigns.campaign_runs where campaign_id = $1 and state = 'building'`,
        [campaignId],
      )
      return rows.length > 0 && rows
    },
    { what: 'the snapshot to wait' },
  )
  await holder.end()
  const { campaignRun } = await rig.campaigns.scheduleCampaign(rig.us, request)
  expect({ id: campaignRun!.id, included: campaignRun!.includedCount }).toEqual({ id: begun[0]!.id, included: 3 })
})

test('a campaign and a run of another tenant are not found', async () => {
  const { campaignId } = await rig.draft(audience)
  const { campaignRun } = await schedule(campaignId)
  const them = rig.stage.caller({ workspaceId: newId() })
  const at = timestampFromDate(new Date(Date.now() + hourMs))
  expect(
    (await faultOf(rig.campaigns.scheduleCampaign(them, { campaignId, scheduledFor: at, idempotencyKey: 'x' }))).code,
  ).toBe('not_found')
  expect((await faultOf(rig.campaigns.getCampaignRun(them, { runId: campaignRun!.id }))).code).toBe('not_found')
  expect((await faultOf(rig.campaigns.getCampaignRunReport(them, { runId: campaignRun!.id }))).code).toBe('not_found')
  expect((await faultOf(rig.campaigns.getCampaignRun(rig.us, { runId: 'no-id' }))).code).toBe('not_found')
})

test('a run that never started has no unsubscribes', async () => {
  const { campaignId } = await rig.draft(audience)
  const { campaignRun } = await schedule(campaignId)
  const { report } = await rig.report(campaignRun!.id)
  expect(report.unsubscribesAttributed).toBeUndefined()
  expect(report).toMatchObject({
    sent: 0,
    events: { accepted: 0, delivered: 0, failed: 0, opened: 0, clicked: 0, unsubscribed: 0, complained: 0 },
  })
  expect(report.deliveryRate).toBeUndefined()
})
