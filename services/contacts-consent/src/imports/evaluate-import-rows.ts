import type {
  EvaluateImportRowsRequest,
  EvaluateImportRowsResponseSchema,
} from '@lettergate/contracts/contacts/v1/imports'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { roomForTags, tagIdsByName } from '../tags/tag.entity.ts'
import { groupedOutcomes } from './import-outcomes.ts'
import { parsePlan } from './import-plan.ts'
import { decideRow } from './row-outcome.ts'
import { readRowStates } from './row-states.ts'
import { distinctTags, factsOf, missingTags, readBatch, rowsToDecide } from './row-batch.ts'

/** The outcome that each row would have now, decided as in an apply. Writes nothing and locks no contact. */
export async function evaluateImportRows(
  ctx: Ctx,
  req: EvaluateImportRowsRequest,
): Promise<Reply<typeof EvaluateImportRowsResponseSchema>> {
  const { workspaceId, config } = ctx
  const plan = parsePlan(req.plan)
  return ctx.tx(async (em) => {
    const batch = await readBatch(em, ctx, plan, req.rows)
    const { rows, refused } = rowsToDecide(plan, batch)
    const tagIds = await tagIdsByName(em, workspaceId, distinctTags(batch, rows))
    const where = { workspaceId, audienceId: plan.audienceId, keys: config.erasureHashKeys }
    const states = await readRowStates(em, where, batch, { rows, created: new Set() })
    const decided = rows.map((row) => ({
      row,
      rowNumber: batch.rowNumbers[row]!,
      ...decideRow(plan.consentPolicy, states.get(row)!, factsOf(batch, row, tagIds)),
    }))
    const outcomes = groupedOutcomes([...decided, ...refused])
    const newTags = missingTags(batch, decided, tagIds)
    return newTags.length === 0 ? { outcomes } : { outcomes, newTags, tagRoom: await roomForTags(em, workspaceId) }
  })
}
