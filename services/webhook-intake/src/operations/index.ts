import type { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'

// Over gRPC nothing is offered yet; what comes over HTTP is receive-provider-event.ts.
export const operations = {} satisfies Operations<typeof WebhookIntake, Ctx>
