import { expect, test } from '@jest/globals'
import { erasedByService, isCompleted } from './erasure-state.ts'

const ours = { service: 'contacts-consent', part: 1, parts: 1, removed: { contacts: 1 } }
const campaigns = { service: 'campaigns-delivery', part: 1, parts: 1, removed: {} }
const automations = { service: 'automations', part: 1, parts: 1, removed: {} }
const webhooks = (part: number) => ({ service: 'webhook-intake', part, parts: 2, removed: { provider_events: part } })

test('an erasure is completed when every service has reported all its parts, in any order', () => {
  expect(isCompleted(erasedByService([]))).toBe(false)
  expect(isCompleted(erasedByService([ours, campaigns, automations]))).toBe(false)
  expect(isCompleted(erasedByService([webhooks(2), ours, campaigns, automations]))).toBe(false)
  expect(isCompleted(erasedByService([webhooks(2), ours, campaigns, webhooks(1)]))).toBe(false)
  expect(isCompleted(erasedByService([webhooks(2), ours, automations, campaigns, webhooks(1)]))).toBe(true)
})

test('the number of rows that a service removed is the sum of its parts', () => {
  const [, , intake] = erasedByService([ours, campaigns, webhooks(1), webhooks(2)])
  expect(intake).toEqual({ service: 'webhook-intake', state: 'completed', removed: { provider_events: 3 } })
})
