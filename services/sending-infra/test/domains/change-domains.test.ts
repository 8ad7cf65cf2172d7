import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import { baseUrl, faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

const unknown = '01890000-0000-7000-8000-000000000000'
type Owner = ReturnType<SendingStage['owner']>
const provide = async (ctx: Owner, domainId: string, providerConnectionId: string, more: object = {}) =>
  (await rig.sending.setSendingDomainProvider(ctx, { domainId, providerConnectionId, dkimSelector: 'k1', ...more }))
    .sendingDomain!
const read = (ctx: Owner, domainId: string) => rig.sending.getSendingDomain(ctx, { domainId })

describe('binding a domain to a connection', () => {
  test('a new connection resets the checked states and the quota, and the next verification uses it', async () => {
    const ctx = rig.owner()
    const { id } = await rig.readyDomain(ctx)
    const other = await rig.connection(ctx)
    expect(await provide(ctx, id, other, { providerDomainReference: ' ref-2 ' })).toMatchObject({
      verificationState: 'not_checked',
      spfState: 'not_checked',
      dkimState: 'not_checked',
      dmarcState: 'not_checked',
      alignmentState: 'not_checked',
      quotaState: 'not_checked',
      isReady: false,
    })
    expect(await read(ctx, id)).toMatchObject({
      sendingDomain: { providerConnectionId: other, checkIsCurrent: false, webhooksRegistered: false },
      providerDomainReference: 'ref-2',
      webhookUrl: `${baseUrl}/webhooks/mailprovider/${other}`,
    })
    const { check } = await rig.sending.verifySendingDomain(ctx, { domainId: id })
    expect(check!.evidence!['webhooks']).toMatchObject({
      verdict: 'failed',
      expected: `${baseUrl}/webhooks/mailprovider/${other}`,
    })
    const told = await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'domain_checked' and workspace_id = $1 order by id`,
      [ctx.workspaceId],
    )
    expect(told.map(({ payload }) => fromBinary(DomainCheckedSchema, payload).isReady)).toEqual([true, false, false])
  })

  test('a new selector resets the checked states and keeps the quota; the same selector changes nothing', async () => {
    const ctx = rig.owner()
    const { id, name, connectionId } = await rig.readyDomain(ctx)
    const reference = (await read(ctx, id)).providerDomainReference!
    expect(await provide(ctx, id, connectionId, { providerDomainReference: reference })).toMatchObject({
      isReady: true,
    })
    expect(await provide(ctx, id, connectionId, { dkimSelector: ' S2 ' })).toMatchObject({
      dkimState: 'not_checked',
      quotaState: 'approved',
      isReady: false,
    })
    expect(await read(ctx, id)).toMatchObject({ dkimSelector: 's2' })
    // publish the provider's key under the selector of its signatures
    await rig.sim('PUT', `/domains/${name}`, { dkim_selector: 's2', dns: 'ok' })
    const { sendingDomain, check } = await rig.sending.verifySendingDomain(ctx, { domainId: id })
    expect(check!.evidence!['dkim']).toMatchObject({ question: `TXT s2._domainkey.${name}`, verdict: 'verified' })
    expect(sendingDomain).toMatchObject({ isReady: true })
  })

  test('a domain without a connection can be bound to one', async () => {
    const ctx = rig.owner()
    const { id, connectionId } = await rig.domain(ctx)
    await rig.stage.query('update sending.sending_domains set provider_connection_id = null where id = $1', [id])
    expect((await read(ctx, id)).webhookUrl).toBeUndefined()
    await provide(ctx, id, connectionId)
    expect((await rig.sending.verifySendingDomain(ctx, { domainId: id })).sendingDomain).toMatchObject({
      spfState: 'verified',
    })
  })

  test.each<[string, object]>([
    ['provider_connection_id', { providerConnectionId: unknown }],
    ['provider_connection_id', { providerConnectionId: 'nonsense' }],
    ['dkim_selector', { dkimSelector: '' }],
    ['dkim_selector', { dkimSelector: 'a..b' }],
    ['dkim_selector', { dkimSelector: '-k1' }],
    ['dkim_selector', { dkimSelector: 'k 1' }],
    ['dkim_selector', { dkimSelector: 'x'.repeat(64) }],
    ['dkim_selector', { dkimSelector: Array.from({ length: 40 }, () => 'abcdef').join('.') }],
    ['provider_domain_reference', { providerDomainReference: 'a\u0000b' }],
    ['provider_domain_reference', { providerDomainReference: 'x'.repeat(501) }],
  ])('a wrong %s is refused naming the field: %j', async (field, more) => {
    const ctx = rig.owner()
    const { id, connectionId } = await rig.domain(ctx)
    expect(await faultOf(provide(ctx, id, connectionId, more))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })

  test("another workspace's connection is refused like an unknown one", async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    const theirs = await rig.connection(rig.owner())
    expect(await faultOf(provide(ctx, id, theirs))).toEqual(await faultOf(provide(ctx, id, unknown)))
  })
})

describe('editing a domain', () => {
  test('the tracking domain and the notes can be changed, null clears them, and the readiness stays', async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.readyDomain(ctx)
    const update = (more: object) => rig.sending.updateSendingDomain(ctx, { domainId: id, ...more })
    for (let time = 1; time <= 2; time += 1)
      expect((await update({ trackingDomain: 'CLICK.acme.test.', notes: 'ours' })).sendingDomain).toMatchObject({
        domainName: name,
        isReady: true,
      })
    expect(await read(ctx, id)).toMatchObject({ trackingDomain: 'click.acme.test', notes: 'ours' })
    await update({ updateMask: { paths: ['notes'] } })
    const { notes, trackingDomain } = await read(ctx, id)
    expect([notes, trackingDomain]).toEqual([undefined, 'click.acme.test'])
    const audited = await rig.stage.query(
      `select 1 from sending.outbox where event = 'audit_recorded' and workspace_id = $1 and payload::text like '%' || encode('sending_domain_updated', 'hex') || '%'`,
      [ctx.workspaceId],
    )
    expect(audited).toHaveLength(2)
  })

  test.each([
    ['tracking_domain', { trackingDomain: 'co.uk' }],
    ['tracking_domain', { trackingDomain: '127.0.0.1' }],
    ['notes', { notes: 'x'.repeat(501) }],
  ])('a wrong %s is refused naming the field', async (field, more) => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    expect(await faultOf(rig.sending.updateSendingDomain(ctx, { domainId: id, ...more }))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })
})

describe('deleting a domain', () => {
  test('a domain without a sender is deleted with its checks, and then answers not_found', async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.readyDomain(ctx)
    expect(await rig.sending.deleteSendingDomain(ctx, { domainId: id })).toMatchObject({ deleted: true })
    expect(await rig.stage.query('select 1 from sending.domain_checks where sending_domain_id = $1', [id])).toEqual([])
    expect(await faultOf(rig.sending.deleteSendingDomain(ctx, { domainId: id }))).toMatchObject({ code: 'not_found' })
    expect((await rig.sending.createSendingDomain(ctx, { domainName: name })).sendingDomain).toMatchObject({
      domainName: name,
      isReady: false,
    })
  })

  test('a domain with a sender is not deleted, and the refusal names the sender', async () => {
    const ctx = rig.owner()
    const domain = await rig.domain(ctx)
    const senderId = await rig.sender(ctx, domain)
    const refused = await faultOf(rig.sending.deleteSendingDomain(ctx, { domainId: domain.id }))
    expect(refused).toMatchObject({ code: 'failed_precondition', reason: 'domain_in_use' })
    for (const word of ['Acme News', senderId]) expect(refused.message).toContain(word)
    await rig.sending.deleteSenderIdentity(ctx, { senderId })
    expect(await rig.sending.deleteSendingDomain(ctx, { domainId: domain.id })).toMatchObject({ deleted: true })
  })
})

describe('reading domains', () => {
  test('the list is sorted by name and has the state of each domain; other workspaces do not see it', async () => {
    const ctx = rig.owner()
    const second = await rig.readyDomain(ctx, 'b-list.acme.test')
    const first = await rig.domain(ctx, 'a-list.acme.test')
    await rig.sender(ctx, second)
    const { sendingDomains } = await rig.sending.listSendingDomains(ctx, {})
    expect(sendingDomains).toMatchObject([
      { id: first.id, domainName: 'a-list.acme.test', isReady: false, checkIsCurrent: false, senderCount: 0 },
      {
        id: second.id,
        domainName: 'b-list.acme.test',
        isReady: true,
        checkIsCurrent: true,
        webhooksRegistered: true,
        providerConnectionId: second.connectionId,
        providerConnectionName: 'main',
        senderCount: 1,
      },
    ])
    expect(sendingDomains[0]!.recheckAt).toBeUndefined()
    expect(sendingDomains[1]!.recheckAt).toBeDefined()
    expect((await rig.sending.listSendingDomains(rig.owner(), {})).sendingDomains).toEqual([])
  })

  test('one domain shows the records to publish and the result of the last check', async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.domain(ctx, undefined, { state: 'unverified', dns: 'missing' })
    const before = await read(ctx, id)
    expect(before.lastCheck).toBeUndefined()
    expect(before.records.map(({ type, name: at }) => `${type} ${at}`)).toEqual([
      `TXT ${name}`,
      `TXT k1._domainkey.${name}`,
      `CNAME email.${name}`,
    ])
    await rig.sending.verifySendingDomain(ctx, { domainId: id })
    expect((await read(ctx, id)).lastCheck).toMatchObject({
      passed: false,
      requestedBy: 'tester',
      evidence: { spf: { question: `TXT ${name}`, answer: [], verdict: 'failed' } },
    })
  })

  test('the checks are listed newest first, in pages, each once', async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    const made: string[] = []
    for (let n = 0; n < 5; n += 1) made.push((await rig.sending.verifySendingDomain(ctx, { domainId: id })).check!.id)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await rig.sending.listDomainChecks(ctx, {
        domainId: id,
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      })
      expect(page.checks.length).toBeLessThanOrEqual(2)
      seen.push(...page.checks.map((check) => check.id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen).toEqual(made.toReversed())
  })

  test.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 101 }],
    ['cursor', { cursor: 'x' }],
    ['cursor', { cursor: '9'.repeat(30) }],
  ])('a wrong %s is refused naming it', async (field, more) => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    expect(await faultOf(rig.sending.listDomainChecks(ctx, { domainId: id, ...more }))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })
})

test("every operation that reads or changes a domain answers not_found for another workspace's domain", async () => {
  const { id } = await rig.domain(rig.owner())
  const otherOwner = rig.owner()
  const connectionId = await rig.connection(otherOwner)
  const faults = await Promise.all(
    [id, unknown, 'x'].flatMap((domainId) => [
      faultOf(provide(otherOwner, domainId, connectionId)),
      faultOf(rig.sending.updateSendingDomain(otherOwner, { domainId, notes: 'mine' })),
      faultOf(rig.sending.deleteSendingDomain(otherOwner, { domainId })),
      faultOf(rig.sending.getSendingDomain(otherOwner, { domainId })),
      faultOf(rig.sending.listDomainChecks(otherOwner, { domainId })),
    ]),
  )
  expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(1)
  expect(faults[0]).toMatchObject({ code: 'not_found' })
})
