import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  EnrollmentSchema,
  EnrollmentTimelineEventSchema,
  EnrollmentTimelineStepSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { kyselyOf, type Em, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import { moment } from '@lettergate/values/moment'
import { findVersion } from '../automations/automation-version.entity.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { EnrollmentEvent } from './enrollment-event.entity.ts'
import { findEnrollment, listedEnrollment, type EnrollmentListRow } from './enrollment-list.ts'
import { EnrollmentPosition, type EnrollmentPositionRow } from './enrollment-position.entity.ts'
import { EnrollmentStep } from './enrollment-step.entity.ts'

/** Most events and steps of one timeline. */
const timelineMax = 1_000

type TimelineEvent = MessageInitShape<typeof EnrollmentTimelineEventSchema>
type TimelineStep = MessageInitShape<typeof EnrollmentTimelineStepSchema>

/** The enrollment of this workspace with its timeline. Throws Fault `not_found`. */
export async function requireEnrollmentReply(
  em: Em,
  workspaceId: string,
  id: string,
): Promise<MessageInitShape<typeof EnrollmentSchema>> {
  const found = isUuid(id) ? await findEnrollment(em, workspaceId, id) : undefined
  if (!found) throw new Fault('not_found', 'enrollment', 'There is no such enrollment.')
  const position = await findPosition(em, found)
  return {
    ...listedEnrollment(found),
    ...(position && position.state !== 'paused' ? { dueAt: moment(position.due_at) } : {}),
    events: eventsOf(found, await newestEvents(em, found)),
    steps: [
      ...(await newestSteps(em, found)).map(finishedStep),
      ...(position ? [await unfinishedStep(em, found, position)] : []),
    ],
  }
}

const newestEvents = async (em: Em, { workspace_id: workspaceId, id }: EnrollmentListRow) =>
  (
    await kyselyOf(em, EnrollmentEvent)
      .selectFrom('enrollment_events')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('enrollment_id', '=', id)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(timelineMax)
      .execute()
  ).toReversed()

const newestSteps = async (em: Em, { workspace_id: workspaceId, id }: EnrollmentListRow) =>
  (
    await kyselyOf(em, EnrollmentStep)
      .selectFrom('enrollment_steps')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('enrollment_id', '=', id)
      .orderBy('number', 'desc')
      .limit(timelineMax)
      .execute()
  ).toReversed()

/** The beginning and the completion are in the row of the enrollment. */
function eventsOf(enrollment: EnrollmentListRow, events: readonly Row<typeof EnrollmentEvent>[]): TimelineEvent[] {
  return [
    {
      event: 'enrolled',
      at: moment(enrollment.enrolled_at),
      contactId: enrollment.contact_id,
      triggerType: enrollment.trigger_type,
      ...(enrollment.audience_id === null ? {} : { audienceId: enrollment.audience_id }),
      ...(enrollment.has_virtual_clock ? { reason: 'virtual_clock' } : {}),
    },
    ...events.map(({ event, at, actor, reason, step_id: stepId }) => ({
      event,
      at: moment(at),
      actor,
      ...(reason === null ? {} : { reason }),
      ...(stepId === null ? {} : { stepId }),
    })),
    ...(enrollment.end_state === 'completed' ? [{ event: 'completed', at: moment(enrollment.ended_at!) }] : []),
  ]
}

const finishedStep = (step: Row<typeof EnrollmentStep>): TimelineStep => ({
  stepId: step.step_id,
  number: step.number,
  nodeKey: step.node_key,
  nodeType: step.node_type,
  outcome: step.outcome,
  reasons: step.reasons,
  ...(step.branch === null ? {} : { branch: step.branch }),
  ...(step.message_id === null ? {} : { messageId: step.message_id }),
  ...(step.audience_id === null ? {} : { audienceId: step.audience_id }),
  startedAt: moment(step.started_at),
  finishedAt: moment(step.finished_at),
})

const findPosition = (em: Em, { workspace_id: workspaceId, id }: EnrollmentListRow) =>
  kyselyOf(em, EnrollmentPosition)
    .selectFrom('enrollment_positions')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('enrollment_id', '=', id)
    .executeTakeFirst()

/** The step at which the contact is. */
async function unfinishedStep(
  em: Em,
  { workspace_id: workspaceId, automation_id: automationId, version_id: id }: EnrollmentListRow,
  position: EnrollmentPositionRow,
): Promise<TimelineStep> {
  const version = await findVersion(em, { workspaceId, automationId }, { id })
  const node = readDefinition(version!.definition).definition?.nodes.find(({ key }) => key === position.node_key)
  if (!node) throw new Error('an enrollment is at a node that its version does not have')
  return {
    stepId: position.step_id,
    number: position.step_number,
    nodeKey: position.node_key,
    nodeType: node.type,
    reasons: [],
    startedAt: moment(position.arrived_at),
    ...(position.wait_until === null ? {} : { waitsUntil: moment(position.wait_until) }),
  }
}
