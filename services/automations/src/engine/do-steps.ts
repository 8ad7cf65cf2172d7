import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { AutomationEmailResult } from '@lettergate/contracts/campaigns/v1/automation_emails'
import type { AutomationContact } from '@lettergate/contracts/contacts/v1/automation_steps'
import type { Carrier } from '@lettergate/service/tracing'
import { applyContactEffects, type EffectNode, type EffectResult } from '../contacts/apply-contact-effects.ts'
import { describeContacts } from '../contacts/describe-contacts.ts'
import type { Ctx } from '../ctx.ts'
import type { ContactFacts } from '../definition/condition-holds.ts'
import type { AutomationNode } from '../definition/definition.ts'
import type { Graph } from '../definition/graph.ts'
import { sendEmails } from '../emails/send-emails.ts'
import { candidateAudiences } from './candidate-audiences.ts'
import { decideStep, isLocal, needsFacts, nextNode } from './decide-step.ts'
import { neededFields, neededTagIds } from './needed-fields.ts'
import { inHalves, isRefusal } from './in-halves.ts'
import type { EnrolledContact } from './enrolled-contact.ts'
import { deliveryUnavailable, isUnsettled, unsettledEmail } from '../enrollments/unsettled-email.ts'
import { heldUntil } from './held-until.ts'
import { readOwnAudiences } from './own-audiences.ts'
import type { DoneStep } from './settle.ts'
import type { StepResult } from './step-result.ts'

/** A contact at the node of the step that is to be done. */
interface AtNode<N extends AutomationNode = AutomationNode> {
  readonly person: EnrolledContact
  readonly graph: Graph
  readonly node: N
}
type EmailNode = Extract<AutomationNode, { type: 'send_email' }>

/** What became of the step of a contact. */
interface SettledStep {
  readonly person: EnrolledContact
  readonly result: StepResult
}

const retryAfterMs = 5_000

/**
 * Does one step of each contact, in sets: one question about contacts, one call for effects, and one for each kind of email. Nothing is
 * stored here. A call that fails leaves its contacts where they are, for a later attempt with the same step ids. `traceOf` gives the
 * trace of a step, which its email continues.
 */
export async function doSteps(
  ctx: Ctx,
  people: readonly EnrolledContact[],
  traceOf: (person: EnrolledContact) => Carrier,
): Promise<DoneStep[]> {
  const graphs = await ctx.tx((em) =>
    ctx.graphs(
      em,
      ctx.workspaceId,
      people.map((one) => one.version_id),
    ),
  )
  const all = people.map((person): AtNode => {
    const graph = graphs.get(person.version_id)!
    const node = graph.nodeOf(person.node_key)
    if (!node) throw new Error('a position is at a node that its version does not have')
    return { person, graph, node }
  })
  const asking = all.filter(({ person, node }) =>
    node.type === 'send_email' ? person.synthetic_context_id === null : needsFacts(node, waitOf(person)),
  )
  const { known, mergedTags } = await contactsOf(ctx, asking)
  const isAsking = new Set(asking)
  const ready: AtNode[] = []
  const settled: SettledStep[] = []
  for (const one of all) {
    const answer = isAsking.has(one) ? known(one.person.contact_id) : 'not_needed'
    if (answer === 'unavailable') settled.push(postponed(ctx, one, 'contacts_unavailable'))
    else if (answer === 'missing') settled.push({ person: one.person, result: contactMissing(one.person) })
    else ready.push(one)
  }
  const contactOf = (person: EnrolledContact): AutomationContact | undefined => {
    const answer = known(person.contact_id)
    return typeof answer === 'string' ? undefined : answer
  }
  const [effects, emails] = await Promise.all([
    doEffects(ctx, ready.filter(isEffect)),
    doEmails(ctx, ready.filter(isEmail), {
      membershipsOf: (person) => contactOf(person)?.activeAudienceIds ?? [],
      traceOf,
    }),
  ])
  const now = ctx.now()
  const local = ready.flatMap(({ person, graph, node }): SettledStep[] => {
    if (!isLocal(node)) return []
    const contact = contactOf(person)
    const facts = contact && factsOf(contact, mergedTags)
    return [{ person, result: decideStep(node, { graph, waitUntil: waitOf(person), now, facts }) }]
  })
  return [...settled, ...local, ...effects, ...emails].map((one) => ({
    ...one,
    graph: graphs.get(one.person.version_id)!,
  }))
}

function contactMissing({ step_id: stepId, waiting_reason: waitingReason }: EnrolledContact): StepResult {
  const step = unsettledEmail(stepId, waitingReason)
  return { kind: 'ended', end: 'cancelled', reason: 'contact_missing', ...(step ? { step } : {}) }
}

const waitOf = ({ wait_until: until }: EnrolledContact): Date | null => (until === null ? null : new Date(until))

/** Nothing new is known about the step, so an email that may be sent stays one. */
function postponed(ctx: Ctx, { person }: AtNode, reason: string): SettledStep {
  const known = isUnsettled(person.waiting_reason) ? person.waiting_reason : reason
  return { person, result: { kind: 'later', reason: known, at: new Date(ctx.now().getTime() + retryAfterMs) } }
}

/** What conditions and dates compare of this contact. */
export const factsOf = (
  { fields, tags, activeAudienceIds, score }: AutomationContact,
  mergedTags: ContactFacts['mergedTags'],
): ContactFacts => ({
  fields: fields ?? {},
  tags,
  mergedTags,
  audienceIds: activeAudienceIds,
  score,
})

/** What contacts-consent says about the contacts of a set. */
interface KnownContacts {
  readonly known: (contactId: string) => AutomationContact | 'missing' | 'unavailable'
  readonly mergedTags: ContactFacts['mergedTags']
}

/** Asks for the contacts in one call. A contact that is not in the answer does not exist any more. */
async function contactsOf(ctx: Ctx, asking: readonly AtNode[]): Promise<KnownContacts> {
  if (asking.length === 0) return { known: () => 'missing', mergedTags: new Map() }
  try {
    const { contacts, mergedTags } = await describeContacts(
      ctx,
      asking.map(({ person }) => person.contact_id),
      { fields: neededFields(asking), tagIds: neededTagIds(asking) },
    )
    return { known: (id) => contacts.get(id) ?? 'missing', mergedTags }
  } catch (error) {
    ctx.log.warn({ err: error }, 'the contacts of automation steps could not be read; the steps will be retried')
    return { known: () => 'unavailable', mergedTags: new Map() }
  }
}

const isEffect = (one: AtNode): one is AtNode<EffectNode & { key: string }> =>
  !isLocal(one.node) && one.node.type !== 'send_email'
const isEmail = (one: AtNode): one is AtNode<EmailNode> => one.node.type === 'send_email'

async function doEffects(ctx: Ctx, ready: readonly AtNode<EffectNode & { key: string }>[]): Promise<SettledStep[]> {
  const answers = await inHalves(ready, async (part) => {
    const results = await applyContactEffects(
      ctx,
      part.map(({ person, node }) => ({
        stepId: person.step_id,
        enrollmentId: person.enrollment_id,
        automationId: person.automation_id,
        contactId: person.contact_id,
        node,
      })),
    )
    return part.map(({ person }) => results.get(person.step_id)!)
  })
  return answers.map(({ item, result, error }) =>
    result ? { person: item.person, result: effectResult(item, result) } : afterError(ctx, item, error),
  )
}

function effectResult({ person, graph, node }: AtNode, { outcome, reasons }: EffectResult): StepResult {
  if (outcome !== 'refused')
    return { kind: 'moved', step: { nodeType: node.type, outcome, reasons }, to: nextNode(graph, node) }
  return reasons.includes('contact_missing') ? contactMissing(person) : failed(node, reasons)
}

const failed = (node: AutomationNode, reasons: readonly string[], messageId?: string): StepResult => ({
  kind: 'ended',
  end: 'failed',
  reason: reasons[0] ?? 'failed',
  step: { nodeType: node.type, outcome: 'failed', reasons, ...(messageId === undefined ? {} : { messageId }) },
})

function afterError(ctx: Ctx, one: AtNode, error: unknown): SettledStep {
  if (isRefusal(error)) return { person: one.person, result: failed(one.node, [error.reason]) }
  ctx.log.warn(
    { err: error, node_type: one.node.type },
    'steps of an automation could not be done; they will be retried',
  )
  return postponed(ctx, one, one.node.type === 'send_email' ? deliveryUnavailable : 'contacts_unavailable')
}

/** A synthetic contact gets no email. */
async function doEmails(
  ctx: Ctx,
  ready: readonly AtNode<EmailNode>[],
  {
    membershipsOf,
    traceOf,
  }: {
    membershipsOf: (person: EnrolledContact) => readonly string[]
    traceOf: (person: EnrolledContact) => Carrier
  },
): Promise<SettledStep[]> {
  const simulated = ready.filter(({ person }) => person.synthetic_context_id !== null)
  const real = ready.filter(({ person }) => person.synthetic_context_id === null)
  const audiences = await readOwnAudiences(ctx, real)
  const sent = await inHalves(real, async (part) => {
    const results = await sendEmails(
      ctx.emails,
      ctx,
      part.map(({ person, node }) => ({
        stepId: person.step_id,
        enrollmentId: person.enrollment_id,
        automationId: person.automation_id,
        contactId: person.contact_id,
        audienceIds: candidateAudiences({
          ofTrigger: person.audience_id,
          own: audiences.get(person.enrollment_id),
          memberships: membershipsOf(person),
        }),
        contentVersionId: node.contentVersionId,
        senderIdentityId: node.senderIdentityId,
        traceparent: traceOf(person)['traceparent'] ?? '',
      })),
    )
    return part.map(({ person }) => results.get(person.step_id)!)
  })
  return [
    ...simulated.map(({ person, graph, node }): SettledStep => {
      const step = { nodeType: node.type, outcome: 'simulated' }
      return { person, result: { kind: 'moved', step, to: nextNode(graph, node) } }
    }),
    ...sent.map(({ item, result, error }) =>
      result ? { person: item.person, result: emailResult(ctx, item, result) } : afterError(ctx, item, error),
    ),
  ]
}

function emailResult(ctx: Ctx, one: AtNode, email: AutomationEmailResult): StepResult {
  const { graph, node } = one
  const { outcome, reasons, messageId, audienceId } = email
  if (outcome === 'waiting') return waitingEmail(ctx, one, email)
  if (outcome === 'failed') return failed(node, reasons, messageId)
  const step = {
    nodeType: node.type,
    outcome,
    reasons,
    ...(messageId === undefined ? {} : { messageId }),
    ...(audienceId === undefined ? {} : { audienceId }),
  }
  return { kind: 'moved', step, to: nextNode(graph, node) }
}

function waitingEmail(ctx: Ctx, { person }: AtNode, email: AutomationEmailResult): StepResult {
  const { reasons, retryAt, isHeld } = email
  const now = ctx.now()
  const asked = retryAt ? timestampDate(retryAt) : new Date(now.getTime() + retryAfterMs)
  const at = isHeld ? heldUntil(new Date(person.arrived_at), now) : asked
  return { kind: 'later', at, reason: reasons[0] ?? null }
}
