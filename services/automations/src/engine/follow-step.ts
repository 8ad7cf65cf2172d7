import { newId } from '@lettergate/database'
import type { Graph } from '../definition/graph.ts'
import type { EnrollmentEnd } from '../enrollments/enrollment-state.ts'
import type { FinishedStep } from '../enrollments/insert-steps.ts'
import { stepsMax } from '../enrollments/steps-max.ts'
import { decideStep, isLocal, needsFacts } from './decide-step.ts'
import type { EnrolledContact } from './enrolled-contact.ts'
import type { StepResult } from './step-result.ts'

export interface Finished {
  readonly person: EnrolledContact
  readonly step: FinishedStep
  readonly at: Date
}

/** The id of the step with this number, for a contact who arrives at a node. */
export type StepIds = (stepNumber: number) => string

/** Where a contact is now. */
export interface Move {
  readonly person: EnrolledContact
  readonly state: 'active' | 'waiting' | 'paused'
  readonly nodeKey: string
  readonly stepId: string
  readonly stepNumber: number
  readonly dueAt: Date
  readonly waitUntil: Date | null
  readonly arrivedAt: Date
  /** why the step was not done */
  readonly waitingReason: string | null
  readonly failedAttempts: number
}

export interface EndedEnrollment {
  readonly person: EnrolledContact
  readonly end: EnrollmentEnd
  readonly reason: string | null
}

interface Followed {
  readonly finished: readonly Finished[]
  /** either where the contact is, or its end */
  readonly move?: Move
  readonly end?: EndedEnrollment
  /** the contact at its next node, if the worker can go on there at once */
  readonly next?: EnrolledContact
}

/**
 * Follows a contact from the result of its step to the next node that asks another service, to a wait or to its end. The steps
 * between need nothing but the definition, so they are done here. Without `goesOn` it stops at the next node.
 */
export function followStep(
  first: { person: EnrolledContact; result: StepResult },
  at: { graph: Graph; state: Move['state']; now: Date; goesOn: boolean; stepIdOf?: StepIds },
): Followed {
  const { graph, state, now, goesOn, stepIdOf = newId } = at
  const finished: Finished[] = []
  let { person, result } = first
  for (;;) {
    if ('step' in result && result.step) finished.push({ person, step: result.step, at: now })
    if (result.kind === 'ended') return { finished, end: { person, end: result.end, reason: result.reason } }
    const end = endOf(person, result)
    if (end) return { finished, end }
    const move = moveOf(person, result, { state, now, stepIdOf })
    if (!goesOn || result.kind !== 'moved' || move.state !== 'active') return { finished, move }
    const next = personAt(move)
    const node = graph.nodeOf(next.node_key)
    if (!node || !isLocal(node) || needsFacts(node, null)) return { finished, move, next }
    person = next
    result = decideStep(node, { graph, waitUntil: null, now, facts: undefined })
  }
}

function endOf(person: EnrolledContact, result: StepResult): EndedEnrollment | undefined {
  if (result.kind !== 'moved') return undefined
  if (result.to === null) return { person, end: 'completed', reason: null }
  return person.step_number < stepsMax ? undefined : { person, end: 'failed', reason: 'too_many_steps' }
}

function moveOf(
  person: EnrolledContact,
  result: Exclude<StepResult, { kind: 'ended' }>,
  { state, now, stepIdOf }: { state: Move['state']; now: Date; stepIdOf: StepIds },
): Move {
  if (result.kind === 'moved')
    return {
      person,
      state: state === 'paused' ? 'paused' : 'active',
      nodeKey: result.to!,
      stepId: stepIdOf(person.step_number + 1),
      stepNumber: person.step_number + 1,
      dueAt: now,
      waitUntil: null,
      arrivedAt: now,
      waitingReason: null,
      failedAttempts: 0,
    }
  const stays = {
    person,
    nodeKey: person.node_key,
    stepId: person.step_id,
    stepNumber: person.step_number,
    arrivedAt: new Date(person.arrived_at),
  }
  if (result.kind === 'waits') {
    const waiting = state === 'paused' ? 'paused' : 'waiting'
    return {
      ...stays,
      state: waiting,
      dueAt: result.until,
      waitUntil: result.until,
      waitingReason: null,
      failedAttempts: 0,
    }
  }
  const waitUntil = person.wait_until === null ? null : new Date(person.wait_until)
  if (result.kind === 'not_begun') {
    const { waiting_reason: waitingReason, failed_attempts: failedAttempts } = person
    return { ...stays, state, dueAt: result.at, waitUntil, waitingReason, failedAttempts }
  }
  return {
    ...stays,
    state,
    dueAt: result.at,
    waitingReason: result.reason,
    failedAttempts: result.hasFailed ? person.failed_attempts + 1 : 0,
    waitUntil,
  }
}

/** The contact after this move. */
export const personAt = ({
  person,
  nodeKey,
  stepId,
  stepNumber,
  waitUntil,
  arrivedAt,
  waitingReason,
  failedAttempts,
}: Move): EnrolledContact => ({
  ...person,
  node_key: nodeKey,
  step_id: stepId,
  step_number: stepNumber,
  wait_until: waitUntil?.toISOString() ?? null,
  arrived_at: arrivedAt.toISOString(),
  waiting_reason: waitingReason,
  failed_attempts: failedAttempts,
})
