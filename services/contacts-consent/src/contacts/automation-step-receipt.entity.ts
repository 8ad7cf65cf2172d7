import { defineEntity, p } from '@mikro-orm/core'
import {
  arrayOf,
  column,
  columns,
  held,
  nullable,
  sql,
  statement,
  textsOf,
  type Em,
  type RowOf,
} from '@lettergate/database'

export type StepOutcome = 'applied' | 'unchanged' | 'refused'

/** Each step of an automation that reached a contact, with what it did. It names ids only, and is deleted with the contact. */
export const AutomationStepReceipt = defineEntity({
  name: 'AutomationStepReceipt',
  tableName: 'automation_step_receipts',
  properties: {
    workspaceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    stepId: p.uuid().primary(),
    outcome: p.text().$type<StepOutcome>(),
    reasons: p.array(),
    recordedAt: p.datetime().defaultRaw('now()'),
  },
})

const receiptColumns = columns(AutomationStepReceipt, 'step_id', 'outcome', 'reasons')
const selectReceipts = statement('select-automation-step-receipts', receiptColumns)
export type StepReceipt = RowOf<typeof receiptColumns>

/** Which step, and whose. */
export interface StepKey {
  readonly contactId: string
  readonly stepId: string
}

const keysOf = (keys: readonly StepKey[]) => sql`unnest(${arrayOf(keys.map((one) => one.contactId))}::uuid[],
  ${arrayOf(keys.map((one) => one.stepId))}::uuid[]) as q (contact_id, step_id)`

/** Those of these steps that were applied before. With the contacts locked, no other transaction is applying one of them. */
export const findReceipts = (em: Em, workspaceId: string, keys: readonly StepKey[]): Promise<StepReceipt[]> =>
  selectReceipts.rows(
    em,
    sql`select r.step_id, r.outcome, r.reasons from ${keysOf(keys)}
         cross join lateral (select * from automation_step_receipts k where k.workspace_id = ${workspaceId}
                                and k.contact_id = q.contact_id and k.step_id = q.step_id limit 1) r`,
  )

const insertReceipts = statement('insert-automation-step-receipts')

export async function appendReceipts(
  em: Em,
  workspaceId: string,
  receipts: readonly (StepKey & { outcome: StepOutcome; reasons: readonly string[] })[],
): Promise<void> {
  if (receipts.length === 0) return
  await insertReceipts.execute(
    em,
    held(sql`insert into automation_step_receipts (workspace_id, contact_id, step_id, outcome, reasons)
        select ${workspaceId}::uuid, r.contact_id, r.step_id, r.outcome, coalesce(string_to_array(r.reasons, ','), '{}')
          from unnest(${arrayOf(receipts.map((one) => one.contactId))}::uuid[], ${arrayOf(receipts.map((one) => one.stepId))}::uuid[],
                      ${arrayOf(receipts.map((one) => one.outcome))}::text[],
                      ${textsOf(receipts.map(({ reasons }) => (reasons.length === 0 ? null : reasons.join(','))))}::text[])
            as r (contact_id, step_id, outcome, reasons)`),
  )
}

/** The position in the receipts of all contacts. */
export interface ReceiptPosition {
  workspace_id: string
  contact_id: string
  step_id: string
}

const nobody = '00000000-0000-0000-0000-000000000000'
const beforeAll: ReceiptPosition = { workspace_id: nobody, contact_id: nobody, step_id: nobody }

const deleteStep = statement('delete-old-automation-step-receipts', {
  seen: column.integer(),
  deleted: column.integer(),
  last: nullable(column.json<ReceiptPosition>()),
})

/** Reads the next receipts in key order and deletes old ones. Answers how many, and the last receipt; undefined at the end. */
export async function deleteOldReceipts(
  em: Em,
  { days, after = beforeAll, most }: { days: number; after: ReceiptPosition | undefined; most: number },
): Promise<{ seen: number; deleted: number; last: ReceiptPosition | undefined }> {
  const step = await deleteStep.row(
    em,
    sql`with step as materialized (
          select workspace_id, contact_id, step_id, recorded_at from automation_step_receipts
           where (workspace_id, contact_id, step_id) > (${after.workspace_id}::uuid, ${after.contact_id}::uuid, ${after.step_id}::uuid)
           order by workspace_id, contact_id, step_id limit ${most}),
        deleted as (
          delete from automation_step_receipts r using step s
           where r.workspace_id = s.workspace_id and r.contact_id = s.contact_id and r.step_id = s.step_id
             and s.recorded_at < now() - ${days} * interval '1 day'
          returning 1)
        select (select count(*)::int from step) as seen, (select count(*)::int from deleted) as deleted,
               (select to_jsonb(k) from (select workspace_id, contact_id, step_id from step
                 order by workspace_id desc, contact_id desc, step_id desc limit 1) k) as last`,
  )
  const { seen, deleted, last } = step!
  return { seen, deleted, last: seen < most ? undefined : (last ?? undefined) }
}
