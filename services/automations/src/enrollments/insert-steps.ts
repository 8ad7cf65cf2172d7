import { arrayOf, sql, statement, textsOf, type Em } from '@lettergate/database'
import type { JsonObject } from '../definition/definition.ts'
import type { EnrollmentPositionRow } from './enrollment-position.entity.ts'

/** A step that is done. */
export interface FinishedStep {
  readonly nodeType: string
  readonly outcome: string
  readonly reasons?: readonly string[]
  readonly branch?: string
  /** what the conditions of a decision looked at */
  readonly compared?: readonly JsonObject[]
  readonly messageId?: string
  /** under which the message was handed over */
  readonly audienceId?: string
}

/** What a record of a step takes from the position of its contact. */
export type StepPosition = Pick<
  EnrollmentPositionRow,
  'enrollment_id' | 'step_id' | 'step_number' | 'node_key' | 'arrived_at'
>

const insertFinished = statement('insert-enrollment-steps')

/** Records finished steps. A step that is recorded already stays as it is. */
export async function insertSteps(
  em: Em,
  workspaceId: string,
  finished: readonly { person: StepPosition; step: FinishedStep; at: Date }[],
): Promise<void> {
  if (finished.length === 0) return
  const texts = (textOf: (one: (typeof finished)[number]) => string | null) =>
    sql`${textsOf(finished.map(textOf))}::text[]`
  await insertFinished.execute(
    em,
    sql`insert into enrollment_steps (workspace_id, enrollment_id, number, step_id, node_key, node_type, outcome, reasons, branch, compared, message_id,
                                      audience_id, started_at, finished_at)
        select ${workspaceId}, enrollment_id, number, step_id, node_key, node_type, outcome, reasons::text[], branch, compared::jsonb, message_id::uuid,
               audience_id::uuid, started_at::timestamptz, finished_at::timestamptz
          from unnest(${arrayOf(finished.map(({ person }) => person.enrollment_id))}::uuid[], ${arrayOf(finished.map(({ person }) => person.step_number))}::int[],
                      ${arrayOf(finished.map(({ person }) => person.step_id))}::uuid[], ${texts(({ person }) => person.node_key)},
                      ${texts(({ step }) => step.nodeType)}, ${texts(({ step }) => step.outcome)}, ${texts(({ step }) => textsOf(step.reasons ?? []))},
                      ${texts(({ step }) => step.branch ?? null)}, ${texts(({ step }) => (step.compared ? JSON.stringify(step.compared) : null))},
                      ${texts(({ step }) => step.messageId ?? null)},
                      ${texts(({ step }) => step.audienceId ?? null)},
                      ${texts(({ person }) => person.arrived_at)}, ${texts(({ at }) => at.toISOString())})
            as t (enrollment_id, number, step_id, node_key, node_type, outcome, reasons, branch, compared, message_id, audience_id, started_at, finished_at)
        on conflict do nothing`,
  )
}
