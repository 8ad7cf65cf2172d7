import { personEventTypes } from '../person-events/owe-person-events.ts'

/** The event types: every state change of a run, tests, and what a workspace may choose to get about people. */
export const webhookTypes = [
  'campaign_run.scheduled',
  'campaign_run.started',
  'campaign_run.paused',
  'campaign_run.resumed',
  'campaign_run.completed',
  'campaign_run.cancelled',
  'campaign_run.unscheduled',
  'campaign_run.failed',
  'campaign_webhook.test',
  ...personEventTypes,
] as const
export type WebhookType = (typeof webhookTypes)[number]

export type DeliveryState = 'pending' | 'delivered' | 'failed'
