import { arrayOf, sql, statement, textsOf, unplanned, type Em } from '@lettergate/database'
import type { EndedEnrollment, Move } from './follow-step.ts'

// Each statement names the ids twice. With any(…) PostgreSQL looks them up in the index. It must not know how many they are, or it
// expects that reading a whole workspace costs less, of which it expects a two-hundredth of the table (ADR 98).

const updateMoved = statement('update-enrollment-positions')

export async function updatePositions(em: Em, workspaceId: string, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  const texts = (textOf: (one: Move) => string | null) => sql`${textsOf(moves.map(textOf))}::text[]`
  const ids = arrayOf(moves.map(({ person }) => person.enrollment_id))
  await updateMoved.execute(
    em,
    sql`update enrollment_positions p
           set state = t.state, node_key = t.node_key, step_id = t.step_id, step_number = t.step_number, due_at = t.due_at::timestamptz,
               wait_until = t.wait_until::timestamptz, arrived_at = t.arrived_at::timestamptz, waiting_reason = t.waiting_reason,
               failed_attempts = t.failed_attempts
          from unnest(${ids}::uuid[], ${texts(({ state }) => state)}, ${texts(({ nodeKey }) => nodeKey)},
                      ${arrayOf(moves.map(({ stepId }) => stepId))}::uuid[], ${arrayOf(moves.map(({ stepNumber }) => stepNumber))}::int[],
                      ${texts(({ dueAt }) => dueAt.toISOString())}, ${texts(({ waitUntil }) => waitUntil?.toISOString() ?? null)},
                      ${texts(({ arrivedAt }) => arrivedAt.toISOString())}, ${texts(({ waitingReason }) => waitingReason)},
                      ${arrayOf(moves.map(({ failedAttempts }) => failedAttempts))}::int[])
            as t (enrollment_id, state, node_key, step_id, step_number, due_at, wait_until, arrived_at, waiting_reason, failed_attempts)
         where p.workspace_id = ${workspaceId} and p.enrollment_id = t.enrollment_id and p.enrollment_id = any(${unplanned(ids, 'uuid[]')})`,
  )
}

const insertNext = statement('insert-due-enrollments')

export async function insertDue(em: Em, workspaceId: string, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  await insertNext.execute(
    em,
    sql`insert into due_enrollments (workspace_id, due_at, enrollment_id)
        select ${workspaceId}, due_at::timestamptz, enrollment_id
          from unnest(${textsOf(moves.map(({ dueAt }) => dueAt.toISOString()))}::text[], ${arrayOf(moves.map(({ person }) => person.enrollment_id))}::uuid[])
            as t (due_at, enrollment_id)
        on conflict do nothing`,
  )
}

const updateEnded = statement('end-enrollments')

export async function endEnrollments(
  em: Em,
  workspaceId: string,
  { ends, now }: { ends: readonly EndedEnrollment[]; now: Date },
): Promise<void> {
  if (ends.length === 0) return
  const at = now.toISOString()
  const ids = arrayOf(ends.map(({ person }) => person.enrollment_id))
  await updateEnded.execute(
    em,
    sql`with ended as (
          select * from unnest(${ids}::uuid[], ${arrayOf(ends.map(({ person }) => person.step_id))}::uuid[],
                               ${textsOf(ends.map(({ end }) => end))}::text[], ${textsOf(ends.map(({ reason }) => reason))}::text[])
            as t (enrollment_id, step_id, end_state, reason)),
        gone as (
          delete from enrollment_positions where workspace_id = ${workspaceId} and enrollment_id = any(${unplanned(ids, 'uuid[]')})),
        told as (
          insert into enrollment_events (workspace_id, enrollment_id, id, event, actor, reason, step_id, at)
          select ${workspaceId}, enrollment_id, gen_random_uuid(), end_state, 'system', reason, step_id, ${at}::timestamptz
            from ended where end_state <> 'completed')
        update enrollments e set end_state = ended.end_state, ended_at = ${at}::timestamptz
          from ended where e.workspace_id = ${workspaceId} and e.id = ended.enrollment_id and e.id = any(${unplanned(ids, 'uuid[]')})`,
  )
}
