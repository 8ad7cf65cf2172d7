import { arrayOf, column, columns, sql, statement, unplanned, type Em } from '@lettergate/database'
import type { Graph } from '../definition/graph.ts'
import { EnrollmentPosition } from '../enrollments/enrollment-position.entity.ts'
import { insertSteps } from '../enrollments/insert-steps.ts'
import { unsettledEmail } from '../enrollments/unsettled-email.ts'
import type { ClaimedSet } from './claim.ts'
import type { EnrolledContact } from './enrolled-contact.ts'
import { followStep, type EndedEnrollment, type Finished, type Move } from './follow-step.ts'
import type { StepResult } from './step-result.ts'
import { endEnrollments, insertDue, updatePositions } from './write-settlement.ts'

/** The step of a contact, with the graph that it follows. */
export interface DoneStep {
  readonly person: EnrolledContact
  readonly result: StepResult
  readonly graph: Graph
}

interface Settlement {
  readonly claim: ClaimedSet
  readonly results: readonly DoneStep[]
  readonly now: Date
  readonly leaseSeconds: number
  /** whether this worker goes on with the contacts who moved */
  readonly goesOn: boolean
}

interface Settled {
  /** the contacts whose next steps the worker does */
  readonly going: readonly EnrolledContact[]
  readonly finished: readonly Finished[]
}

const lockedColumns = {
  ...columns(EnrollmentPosition, 'enrollment_id', 'step_id', 'state'),
  is_published: column.boolean(),
}
const lockPositions = statement('lock-enrollment-positions', lockedColumns)

/**
 * Records what became of the steps of a set, and of the steps after them that ask no other service. The positions are locked, so a
 * pause or a cancellation that came before it counts: a finished step is recorded, and no other one begins. A step that another
 * worker has settled is left as it is.
 */
export async function settleSteps(em: Em, settlement: Settlement): Promise<Settled> {
  const { claim, results, now, goesOn } = settlement
  const { workspaceId } = claim
  const isOurs = goesOn && (await renewClaim(em, settlement))
  const ids = results.map(({ person }) => person.enrollment_id)
  const locked = await lockPositions.rows(
    em,
    sql`select p.enrollment_id, p.step_id, p.state, a.status = 'published' as is_published
          from enrollment_positions p join automations a on a.workspace_id = p.workspace_id and a.id = p.automation_id
         where p.workspace_id = ${workspaceId} and p.enrollment_id = any(${unplanned(arrayOf(ids), 'uuid[]')})
         order by p.enrollment_id for update of p`,
  )
  const positions = new Map(locked.map((row) => [row.enrollment_id, row]))

  const finished: Finished[] = []
  const moves: Move[] = []
  const ends: EndedEnrollment[] = []
  const going: EnrolledContact[] = []
  for (const { person, result, graph } of results) {
    const position = positions.get(person.enrollment_id)
    if (position && position.step_id !== person.step_id) continue
    // Cancelled in the meantime: the step is recorded, and nothing follows.
    const state = position?.state ?? 'paused'
    const known = position ? result : withoutValues(cancelledResult(person, result))
    const followed = followStep(
      { person, result: known },
      { graph, state, now, goesOn: isOurs && !!position?.is_published },
    )
    finished.push(...followed.finished)
    if (!position) continue
    if (followed.end) ends.push(followed.end)
    if (followed.move) moves.push(followed.move)
    if (followed.next) going.push(followed.next)
  }
  const gone = new Set(going.map((one) => one.enrollment_id))
  const due = moves.filter(({ person, state }) => state !== 'paused' && !gone.has(person.enrollment_id))
  // Sent together. They touch different rows.
  await Promise.all([
    insertSteps(em, workspaceId, finished),
    updatePositions(em, workspaceId, moves),
    endEnrollments(em, workspaceId, { ends, now }),
    insertDue(em, workspaceId, due),
    keepClaim(em, claim, going),
  ])
  return { going, finished }
}

/** The result of a step whose enrollment was cancelled meanwhile. */
function cancelledResult(
  { step_id: stepId, waiting_reason: waitingReason }: EnrolledContact,
  result: StepResult,
): StepResult {
  const reason = result.kind === 'later' ? result.reason : result.kind === 'not_begun' ? waitingReason : null
  const step = unsettledEmail(stepId, reason)
  return step ? { kind: 'moved', step, to: null } : result
}

/** The contact may be erased, and then nothing removes the values that its last decision compared. */
function withoutValues(result: StepResult): StepResult {
  if (result.kind !== 'moved') return result
  const { compared: _, ...step } = result.step
  return { ...result, step }
}

const renewLease = statement('renew-enrollment-claim')
const shrinkClaim = statement('shrink-enrollment-claim')

/** Whether the claim still exists. Locks it until the commit, so that nobody makes its contacts due meanwhile. */
async function renewClaim(em: Em, { claim, leaseSeconds }: Settlement): Promise<boolean> {
  const renewed = await renewLease.execute(
    em,
    sql`update enrollment_claims set lease_until = now() + ${leaseSeconds} * interval '1 second'
         where workspace_id = ${claim.workspaceId} and id = ${claim.id}`,
  )
  return renewed > 0
}

/** The claim keeps the contacts whose next steps this worker does, and ends without any. */
const keepClaim = (em: Em, { workspaceId, id }: ClaimedSet, going: readonly EnrolledContact[]): Promise<number> =>
  going.length === 0
    ? shrinkClaim.execute(em, sql`delete from enrollment_claims where workspace_id = ${workspaceId} and id = ${id}`)
    : shrinkClaim.execute(
        em,
        sql`update enrollment_claims set enrollment_ids = ${arrayOf(going.map((one) => one.enrollment_id))}::uuid[]
             where workspace_id = ${workspaceId} and id = ${id}`,
      )
