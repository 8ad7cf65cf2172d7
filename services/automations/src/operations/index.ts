import type { Automations } from '@lettergate/contracts/automations/v1/automations'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'

// Nothing is offered yet: the proto service has no rpc.
export const operations = {} satisfies Operations<typeof Automations, Ctx>
