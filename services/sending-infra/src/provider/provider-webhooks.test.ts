import { describe, expect, test } from '@jest/globals'
import { planWebhooks, webhookEvents, type RegisteredWebhooks } from './provider-webhooks.ts'

const ours = 'https://lettergate.test/webhooks/mailprovider/1'
const registered = (urls: Partial<RegisteredWebhooks> = {}) =>
  ({ ...Object.fromEntries(webhookEvents.map((event) => [event, []])), ...urls }) as RegisteredWebhooks

describe('webhook registration', () => {
  test('a domain without webhooks gets our URL for each of the eight kinds', () => {
    const plan = planWebhooks(registered(), ours)
    expect(plan.refused).toEqual([])
    expect(plan.set).toEqual(webhookEvents.map((event) => ({ event, urls: [ours], isFirst: true })))
  })

  test('other URLs stay in their order', () => {
    const plan = planWebhooks(registered({ opened: ['https://a.test', 'https://b.test'] }), ours)
    expect(plan.set).toContainEqual({
      event: 'opened',
      urls: ['https://a.test', 'https://b.test', ours],
      isFirst: false,
    })
  })

  test('a kind with the maximum number of URLs is refused and stays unchanged', () => {
    const plan = planWebhooks(registered({ opened: ['https://a.test', 'https://b.test', 'https://c.test'] }), ours)
    expect(plan.refused).toEqual(['opened'])
    expect(plan.set.map((change) => change.event)).not.toContain('opened')
  })

  test('a kind that already has our URL stays unchanged', () => {
    const plan = planWebhooks(registered({ opened: [ours], clicked: ['https://a.test', ours, 'https://c.test'] }), ours)
    expect(plan.refused).toEqual([])
    expect(plan.set.map((change) => change.event)).toEqual(
      webhookEvents.filter((event) => event !== 'opened' && event !== 'clicked'),
    )
  })
})
