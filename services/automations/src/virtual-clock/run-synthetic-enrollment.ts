import type {
  RunSyntheticEnrollmentRequest,
  RunSyntheticEnrollmentResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { newId } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { dateOf } from '@lettergate/values/moment'
import type { AutomationVersionRow } from '../automations/automation-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { ContactFacts } from '../definition/condition-holds.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { referencesOf } from '../definition/references.ts'
import { factsOf } from '../engine/do-steps.ts'
import type { EnrolledContact } from '../engine/enrolled-contact.ts'
import { endEnrollments } from '../engine/write-settlement.ts'
import { requireEnrollmentReply } from '../enrollments/enrollment-reply.ts'
import { insertSteps } from '../enrollments/insert-steps.ts'
import { insertSyntheticEnrollment } from '../enrollments/insert-synthetic-enrollment.ts'
import {
  checkSyntheticRequest,
  parseSyntheticRequest,
  type SyntheticRequest,
} from '../enrollments/synthetic-request.ts'
import { runVirtually } from './virtual-run.ts'

const [yearMin, yearMax] = [2000, 2099]

/**
 * Enrols a synthetic contact and runs the enrollment to its end at once, with a virtual clock that begins at a given time. Nothing but
 * the enrollment is changed, so the same request with another key gives the same timeline. A repeated key answers the original.
 */
export async function runSyntheticEnrollment(
  ctx: Ctx,
  req: RunSyntheticEnrollmentRequest,
): Promise<Reply<typeof RunSyntheticEnrollmentResponseSchema>> {
  const { workspaceId } = ctx
  const startsAt = readStart(req)
  const wanted = parseSyntheticRequest(req, startsAt)
  const { earlier, version, contact } = await checkSyntheticRequest(ctx, wanted)
  if (earlier || !contact) return { enrollment: earlier }
  const { tags, mergedTags } = await tagsOf(ctx, version)
  const graph = await ctx.tx(async (em) => (await ctx.graphs(em, workspaceId, [version.id])).get(version.id)!)
  const id = newId()
  const person = firstStepOf({ id, wanted, startNode: graph.startNode, startsAt })
  const run = await runVirtually({ graph, person, facts: factsOf(contact, mergedTags), tags, startsAt })
  const reply = await ctx.tx(async (em) => {
    const { enrollment, isNew } = await insertSyntheticEnrollment(em, ctx, { id, wanted, version })
    if (isNew) {
      await insertSteps(em, workspaceId, run.finished)
      await endEnrollments(em, workspaceId, { ends: [run.end], now: run.endedAt })
    }
    return requireEnrollmentReply(em, workspaceId, enrollment.id)
  })
  return { enrollment: reply }
}

interface First {
  readonly id: string
  readonly wanted: SyntheticRequest
  readonly startNode: string
  readonly startsAt: Date
}

/** The contact at its first step. Nothing is sent, so the audience of the trigger does not matter. */
const firstStepOf = ({ id, wanted, startNode, startsAt }: First): EnrolledContact => ({
  enrollment_id: id,
  automation_id: wanted.automationId,
  version_id: wanted.versionId,
  contact_id: wanted.contactId,
  audience_id: null,
  synthetic_context_id: wanted.syntheticContextId,
  correlation_id: '',
  trace: {},
  node_key: startNode,
  step_id: '',
  step_number: 1,
  wait_until: null,
  arrived_at: startsAt.toISOString(),
  waiting_reason: null,
  failed_attempts: 0,
  is_published: false,
})

function readStart({ startsAt }: RunSyntheticEnrollmentRequest): Date {
  const at = dateOf(startsAt)
  const year = at?.getUTCFullYear() ?? 0
  if (at && year >= yearMin && year <= yearMax) return at
  throw new Fault(
    'invalid_argument',
    'starts_at',
    `starts_at must be a date and time from the year ${yearMin} to ${yearMax}.`,
  )
}

/** The tags that this version names. A tag that was named by its name and renamed or merged since is absent. */
async function tagsOf(
  ctx: Ctx,
  { definition: stored }: AutomationVersionRow,
): Promise<Pick<ContactFacts, 'tags' | 'mergedTags'>> {
  const { definition } = readDefinition(stored)
  const named = definition ? referencesOf(definition).tags : []
  if (named.length === 0) return { tags: [], mergedTags: new Map() }
  const { tags } = await ctx.contacts.describeAutomationReferences(ctx, { tags: named })
  return {
    tags: tags.map(({ id, name }) => ({ id, name })),
    mergedTags: new Map(
      tags.filter(({ named: tag, id, name }) => tag !== id && tag !== name).map((one) => [one.named, one.id]),
    ),
  }
}
