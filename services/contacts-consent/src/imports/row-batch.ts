import type { ImportRows } from '@lettergate/contracts/contacts/v1/imports'
import type { Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { holdAudience } from '../audiences/audience.entity.ts'
import type { Ctx } from '../ctx.ts'
import { definitionsInForce } from '../custom-fields/field-definition.entity.ts'
import { unknownReference } from '../values/ids.ts'
import type { RowResult } from './import-outcomes.ts'
import type { RowPlan } from './import-plan.ts'
import { customFieldKeysOf, parseRows, type GivenStatus, type ImportBatch } from './import-rows.ts'
import { decideRow, unknownAddress, type DecidedRow, type RowFacts, type RowState } from './row-outcome.ts'

/**
 * Parses the rows of a batch, and holds the audience until the transaction ends. Throws Fault `failed_precondition` for an
 * archived audience, which takes no new subscribers.
 */
export async function readBatch(
  em: Em,
  ctx: Ctx,
  plan: RowPlan,
  { rows: given, rowsMax }: { rows: ImportRows | undefined; rowsMax: number },
): Promise<ImportBatch> {
  const audience = await holdAudience(em, ctx.workspaceId, plan.audienceId)
  if (!audience) throw unknownReference('audience_id')
  if (audience.archived_at !== null) {
    throw new Fault(
      'failed_precondition',
      'audience_archived',
      'The audience of this import is archived and takes no new subscribers.',
    )
  }
  const keys = customFieldKeysOf(given)
  const definitions = keys.length === 0 ? [] : await definitionsInForce(em, ctx.workspaceId, keys)
  return parseRows(given, { definitions, staticTags: plan.staticTags, now: ctx.now(), rowsMax })
}

const noProblems: readonly string[] = []
const noTags: readonly string[] = []

/** What decides about a row besides the state of its address. */
function factsOf(batch: ImportBatch, row: number, tagIds: ReadonlyMap<string, string>): RowFacts {
  const tags = batch.tags?.[row] ?? noTags
  return {
    status: batch.statuses[row]!,
    problems: batch.problems.get(row) ?? noProblems,
    tagIds: tags.map((name) => tagIds.get(name) ?? null),
  }
}

/** The rows whose outcome depends on the state of their address, and the result of the others. */
export function rowsToDecide({ consentPolicy }: RowPlan, batch: ImportBatch): { rows: number[]; refused: RowResult[] } {
  const rows: number[] = []
  const refused: RowResult[] = []
  for (const [row, rowNumber] of batch.rowNumbers.entries()) {
    const decided = batch.problems.has(row) && decideRow(consentPolicy, unknownAddress, factsOf(batch, row, new Map()))
    if (decided && decided.outcome === 'refused') refused.push({ rowNumber, ...decided })
    else rows.push(row)
  }
  return { rows, refused }
}

/**
 * Decides rows of a batch. Most rows are new addresses of which nothing is known but the status, and these share one decision for
 * each status.
 */
export function decider(
  { consentPolicy }: RowPlan,
  batch: ImportBatch,
  { states, tagIds }: { states: ReadonlyMap<number, RowState>; tagIds: ReadonlyMap<string, string> },
): (row: number) => DecidedRow {
  const ofNew = new Map<GivenStatus, DecidedRow>()
  return (row) => {
    const state = states.get(row)
    const isPlain = state === undefined && !batch.problems.has(row) && !batch.tags
    if (!isPlain) return decideRow(consentPolicy, state ?? unknownAddress, factsOf(batch, row, tagIds))
    const status = batch.statuses[row]!
    let decided = ofNew.get(status)
    if (!decided) ofNew.set(status, (decided = decideRow(consentPolicy, unknownAddress, factsOf(batch, row, tagIds))))
    return decided
  }
}

/** The names of the tags that decided rows add and `tagIds` does not have, each once. */
export function missingTags(
  { tags }: ImportBatch,
  decided: readonly { row: number; contact: string | null; addsTags: boolean }[],
  tagIds: ReadonlyMap<string, string>,
): string[] {
  const names = new Set<string>()
  for (const { row, contact, addsTags } of decided) {
    if (contact === null || !addsTags) continue
    for (const name of tags?.[row] ?? []) if (!tagIds.has(name)) names.add(name)
  }
  return [...names]
}

/** The names of all tags of these rows, each once. */
export function distinctTags({ tags }: ImportBatch, rows: readonly number[]): string[] {
  if (!tags) return []
  const names = new Set<string>()
  for (const row of rows) for (const name of tags[row]!) names.add(name)
  return [...names]
}
