import type { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { describeSigningKeys } from './describe-signing-keys.ts'
import { listProviderEvents } from './list-provider-events.ts'
import { replayProviderEvent } from './replay-provider-event.ts'

// HTTP requests are handled by receive-provider-event.ts.
export const operations = {
  replayProviderEvent,
  listProviderEvents,

  // called by campaigns-delivery
  describeSigningKeys,
} satisfies Operations<typeof WebhookIntake, Ctx>
