import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  CountImportRowsRequestSchema,
  DescribeImportTargetRequestSchema,
  ApplyImportRowsRequestSchema,
  ApplyImportSuppressionsRequestSchema,
  EvaluateImportRowsRequestSchema,
} from '@lettergate/contracts/contacts/v1/imports'
import type { Ctx } from '../ctx.ts'

type Evaluated = MessageInitShape<typeof EvaluateImportRowsRequestSchema>
type Suppressed = MessageInitShape<typeof ApplyImportSuppressionsRequestSchema>
type Applied = MessageInitShape<typeof ApplyImportRowsRequestSchema>

/** The audience and the custom fields that a mapping names. */
export const describeTarget = (ctx: Ctx, asked: MessageInitShape<typeof DescribeImportTargetRequestSchema>) =>
  ctx.contacts.describeImportTarget(ctx, asked)

/** The outcomes that these rows would have now. */
export const evaluateRows = (ctx: Ctx, batch: Evaluated) => ctx.contacts.evaluateImportRows(ctx, batch)

/** Applies rows with the status unsubscribed or suppressed. */
export const applySuppressions = (ctx: Ctx, batch: Suppressed) => ctx.contacts.applyImportSuppressions(ctx, batch)

/** Applies the other rows. */
export const applyRows = (ctx: Ctx, batch: Applied) => ctx.contacts.applyImportRows(ctx, batch)

/** A part of the effects of an import. */
export const countRows = (ctx: Ctx, asked: MessageInitShape<typeof CountImportRowsRequestSchema>) =>
  ctx.contacts.countImportRows(ctx, asked)
