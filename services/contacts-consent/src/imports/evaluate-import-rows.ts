import type {
  EvaluateImportRowsRequest,
  EvaluateImportRowsResponseSchema,
} from '@lettergate/contracts/contacts/v1/imports'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { roomForTags, tagIdsByName } from '../tags/tag.entity.ts'
import { outcomeGroups } from './import-outcomes.ts'
import { parsePlan } from './import-plan.ts'
import { readRowStates } from './row-states.ts'
import { decider, distinctTags, missingTags, readBatch, rowsToDecide } from './row-batch.ts'

/** More than in an apply, which locks its rows: a call and its transaction cost as much as a thousand rows. */
const evaluatedRowsMax = 4_000

/** The outcome that each row would have now, decided as in an apply. Writes nothing and locks no contact. */
export async function evaluateImportRows(
  ctx: Ctx,
  req: EvaluateImportRowsRequest,
): Promise<Reply<typeof EvaluateImportRowsResponseSchema>> {
  const { workspaceId, config } = ctx
  const plan = parsePlan(req.plan)
  return ctx.tx(async (em) => {
    const batch = await readBatch(em, ctx, plan, { rows: req.rows, rowsMax: evaluatedRowsMax })
    const { rows, refused } = rowsToDecide(plan, batch)
    const tagIds = await tagIdsByName(em, workspaceId, distinctTags(batch, rows))
    const where = { workspaceId, audienceId: plan.audienceId, keys: config.erasureHashKeys }
    const states = await readRowStates(em, where, batch, { rows, created: new Set() })
    const decide = decider(plan, batch, { states, tagIds })
    const groups = outcomeGroups()
    const decided = rows.map((row) => ({ row, decision: decide(row) }))
    for (const { row, decision } of decided) groups.add(decision, batch.rowNumbers[row]!)
    for (const one of refused) groups.add(one, one.rowNumber)
    const outcomes = groups.outcomes()
    const newTags = batch.tags
      ? missingTags(
          batch,
          decided.map(({ row, decision }) => ({ row, ...decision })),
          tagIds,
        )
      : []
    return newTags.length === 0 ? { outcomes } : { outcomes, newTags, tagRoom: await roomForTags(em, workspaceId) }
  })
}
