import type { Imports } from '@lettergate/contracts/imports/v1/imports'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'

// Nothing is offered yet: the proto service has no rpc.
export const operations = {} satisfies Operations<typeof Imports, Ctx>
