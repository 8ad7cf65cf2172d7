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
import type { JsonObject } from '../definition/definition.ts'
import { EnrollmentEvent } from './enrollment-event.entity.ts'
import { findEnrollment, listedEnrollment, type EnrollmentListRow } from './enrollment-list.ts'
import { EnrollmentPosition, type EnrollmentPositionRow } from './enrollment-position.entity.ts'
import { EnrollmentStep } from './enrollment-step.entity.ts'

/** Most events and steps of one timeline. */
const timelineMax = 1_000
/** So that the inputs of 1,000 steps fit into one reply. */
const inputBytesMax = 4_096

type TimelineEvent = MessageInitShape<typeof EnrollmentTimelineEventSchema>
type TimelineStep = MessageInitShape<typeof EnrollmentTimelineStepSchema>

/** A node as its author wrote it. */
interface WrittenNode {
  readonly key: string
  readonly type: string
  readonly config: JsonObject
}
type Nodes = ReadonlyMap<string, WrittenNode>

/** The enrollment of this workspace with its timeline. Throws Fault `not_found`. */
export async function requireEnrollmentReply(
  em: Em,
  workspaceId: string,
  id: string,
): Promise<MessageInitShape<typeof EnrollmentSchema>> {
  const found = isUuid(id) ? await findEnrollment(em, workspaceId, id) : undefined
  if (!found) throw new Fault('not_found', 'enrollment', 'There is no such enrollment.')
  const position = await findPosition(em, found)
  const nodes = await readNodes(em, found)
  return {
    ...listedEnrollment(found),
    ...(position ? nextAttempt(position) : {}),
    events: eventsOf(found, await newestEvents(em, found)),
    steps: [
      ...(await newestSteps(em, found)).map((step) => finishedStep(step, nodes)),
      ...(position ? [unfinishedStep(position, nodes)] : []),
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

/** The nodes of the version of this enrollment, by key. */
async function readNodes(
  em: Em,
  { workspace_id: workspaceId, automation_id: automationId, version_id: id }: EnrollmentListRow,
): Promise<Nodes> {
  const version = await findVersion(em, { workspaceId, automationId }, { id })
  const nodes = version!.definition['nodes'] as unknown as WrittenNode[]
  return new Map(nodes.map((node) => [node.key, node]))
}

/** The configuration of a node, unless it is too large, and what a decision compared. */
function inputOf(nodes: Nodes, nodeKey: string, compared: JsonObject[] | null = null): { input?: JsonObject } {
  const config = nodes.get(nodeKey)?.config
  if (!config || Buffer.byteLength(JSON.stringify(config)) > inputBytesMax) return {}
  return { input: compared === null ? config : { ...config, compared } }
}

const finishedStep = (step: Row<typeof EnrollmentStep>, nodes: Nodes): TimelineStep => ({
  stepId: step.step_id,
  number: step.number,
  nodeKey: step.node_key,
  nodeType: step.node_type,
  ...inputOf(nodes, step.node_key, step.compared),
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

/** When the next step is due, and why its last attempt did nothing. A paused enrollment has neither. */
const nextAttempt = ({ state, due_at: dueAt, waiting_reason: waitingReason }: EnrollmentPositionRow) =>
  state === 'paused' ? {} : { dueAt: moment(dueAt), ...(waitingReason === null ? {} : { waitingReason }) }

/** The step at which the contact is. */
function unfinishedStep(position: EnrollmentPositionRow, nodes: Nodes): TimelineStep {
  const node = nodes.get(position.node_key)
  if (!node) throw new Error('an enrollment is at a node that its version does not have')
  return {
    stepId: position.step_id,
    number: position.step_number,
    nodeKey: position.node_key,
    nodeType: node.type,
    ...inputOf(nodes, position.node_key),
    reasons: [],
    startedAt: moment(position.arrived_at),
    ...(position.wait_until === null ? {} : { waitsUntil: moment(position.wait_until) }),
  }
}
