import type { JsonObject } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { baseUrl, faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

const evidenceOf = (check: { evidence?: JsonObject } | undefined, name: string) =>
  check!.evidence![name] as Record<string, unknown>

describe('registering webhooks', () => {
  const webhooks = async (name: string) => {
    const response = await fetch(`${rig.provider.url}/v3/domains/${name}/webhooks`, {
      headers: { authorization: `Basic ${btoa('api:dev-api-key')}` },
    })
    return ((await response.json()) as { webhooks: Record<string, { urls: string[] } | null> }).webhooks
  }

  test('our URL is registered for all eight kinds of events, and a repeat changes nothing', async () => {
    const ctx = rig.owner()
    const { id, name, connectionId } = await rig.domain(ctx)
    const url = `${baseUrl}/webhooks/mailprovider/${connectionId}`
    for (let time = 1; time <= 2; time += 1) {
      const { refused, check } = await rig.sending.registerSendingDomainWebhooks(ctx, { domainId: id })
      expect(refused).toEqual([])
      expect(evidenceOf(check, 'webhooks')).toMatchObject({ verdict: 'verified' })
      const registered = await webhooks(name)
      expect(Object.keys(registered).toSorted()).toEqual([
        'accepted',
        'clicked',
        'complained',
        'delivered',
        'opened',
        'permanent_fail',
        'temporary_fail',
        'unsubscribed',
      ])
      for (const entry of Object.values(registered)) expect(entry).toEqual({ urls: [url] })
    }
  })

  test('other URLs stay, and a kind with the maximum number of URLs is refused by name and stays unchanged', async () => {
    const ctx = rig.owner()
    const foreign = ['https://a.invalid/1', 'https://b.invalid/2', 'https://c.invalid/3']
    const { id, name, connectionId } = await rig.domain(ctx, undefined, {
      webhooks: { opened: foreign, clicked: foreign.slice(0, 2) },
    })
    const { refused, sendingDomain } = await rig.sending.registerSendingDomainWebhooks(ctx, { domainId: id })
    expect(refused).toEqual(['opened'])
    expect(sendingDomain!.isReady).toBe(false)
    const registered = await webhooks(name)
    expect(registered['opened']).toEqual({ urls: foreign })
    expect(registered['clicked']).toEqual({
      urls: [...foreign.slice(0, 2), `${baseUrl}/webhooks/mailprovider/${connectionId}`],
    })
  })

  test('two concurrent registrations end with everything registered', async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    const both = await Promise.all([1, 2].map(() => rig.sending.registerSendingDomainWebhooks(ctx, { domainId: id })))
    for (const { refused, check } of both) {
      expect(refused).toEqual([])
      expect(evidenceOf(check, 'webhooks')).toMatchObject({ verdict: 'verified' })
    }
  })

  test('a failing provider is a refusal', async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    await rig.sim('PUT', '/faults', { mode: 'server_error' })
    try {
      expect(await faultOf(rig.sending.registerSendingDomainWebhooks(ctx, { domainId: id }))).toMatchObject({
        code: 'failed_precondition',
        reason: 'provider_failing',
      })
    } finally {
      await rig.sim('PUT', '/faults', { mode: 'none' })
    }
  })

  test('a domain without a connection is refused with this reason', async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    await rig.stage.query('update sending.sending_domains set provider_connection_id = null where id = $1', [id])
    const faults = await Promise.all([
      faultOf(rig.sending.registerSendingDomainWebhooks(ctx, { domainId: id })),
      faultOf(rig.sending.verifySendingDomain(ctx, { domainId: id })),
    ])
    for (const fault of faults)
      expect(fault).toMatchObject({ code: 'failed_precondition', reason: 'provider_connection' })
  })
})
