import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { AutomationEmailResult } from '@lettergate/contracts/campaigns/v1/automation_emails'
import type { AutomationContact } from '@lettergate/contracts/contacts/v1/automation_steps'
import type { Carrier } from '@lettergate/service/tracing'
import { publishedAmong } from '../automations/automation.entity.ts'
import { applyContactEffects, type EffectNode, type EffectResult } from '../contacts/apply-contact-effects.ts'
import { describeContacts } from '../contacts/describe-contacts.ts'
import type { Ctx } from '../ctx.ts'
import type { ContactFacts } from '../definition/condition-holds.ts'
import type { AutomationNode } from '../definition/definition.ts'
import type { Graph } from '../definition/graph.ts'
import { sendEmails } from '../emails/send-emails.ts'
import { candidateAudiences } from './candidate-audiences.ts'
import { decideStep, isLocal, needsFacts, nextNode, type LocalNode } from './decide-step.ts'
import { neededFields, neededTagIds } from './needed-fields.ts'
import { inHalves, isOutage, isRefusal, type AnswerOfItem, type ErrorOfItem } from './in-halves.ts'
import { inTurns } from './in-turns.ts'
import { stepIdsOf, type EnrolledContact } from './enrolled-contact.ts'
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

interface Work {
  /** of a step, which its email continues */
  readonly traceOf: (person: EnrolledContact) => Carrier
  /** whether steps may begin now */
  readonly mayGoOn: () => Promise<boolean>
}

/** What became of the step of a contact. */
interface SettledStep {
  readonly person: EnrolledContact
  readonly result: StepResult
}

const retryAfterMs = 5_000

/**
 * Does one step of each contact, in sets: one question about contacts, one call for effects, and one for each kind of email. Nothing is
 * stored here. A call that fails leaves its contacts where they are, for a later attempt with the same step ids. Asks before each call
 * whether steps may still begin, and before effects and emails whether their automations are still published; the steps of the others
 * are not begun.
 */
export async function doSteps(ctx: Ctx, people: readonly EnrolledContact[], work: Work): Promise<DoneStep[]> {
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
  const isBegun = await work.mayGoOn()
  const done = isBegun ? await doAll(ctx, all, work) : all.map((one) => notBegun(ctx, one))
  return done.map((one) => ({ ...one, graph: graphs.get(one.person.version_id)! }))
}

async function doAll(ctx: Ctx, all: readonly AtNode[], work: Work): Promise<SettledStep[]> {
  const asking = all.filter(({ person, node }) =>
    node.type === 'send_email' ? person.synthetic_context_id === null : needsFacts(node, waitOf(person)),
  )
  const { contacts, mergedTags, unread } = await contactsOf(ctx, asking, work)
  const isAsking = new Set(asking)
  const ready: AtNode[] = []
  const settled: SettledStep[] = [...unread.values()]
  for (const one of all) {
    if (unread.has(one)) continue
    if (isAsking.has(one) && !contacts.has(one.person.contact_id))
      settled.push({ person: one.person, result: contactMissing(one.person) })
    else ready.push(one)
  }
  const contactOf = (person: EnrolledContact): AutomationContact | undefined => contacts.get(person.contact_id)
  const [effects, emails] = await Promise.all([
    doEffects(ctx, ready.filter(isEffect), work),
    doEmails(ctx, ready.filter(isEmail), {
      ...work,
      membershipsOf: (person) => contactOf(person)?.activeAudienceIds ?? [],
    }),
  ])
  const now = ctx.now()
  const local = await inTurns(ready.filter(isAtLocal), ({ person, graph, node }): SettledStep => {
    const contact = contactOf(person)
    const facts = contact && factsOf(contact, mergedTags)
    return { person, result: decideStep(node, { graph, waitUntil: waitOf(person), now, facts }) }
  })
  return [...settled, ...local, ...effects, ...emails]
}

const notBegun = (ctx: Ctx, { person }: AtNode): SettledStep => ({
  person,
  result: { kind: 'not_begun', at: ctx.now() },
})

/** `inHalves` for the calls of steps: while no step may begin, nothing is called. */
const inHalvesWhile = <T, R>(
  mayGoOn: Work['mayGoOn'],
  items: readonly T[],
  call: (items: readonly T[]) => Promise<(R | 'not_begun')[]>,
): Promise<AnswerOfItem<T, R | 'not_begun'>[]> =>
  inHalves<T, R | 'not_begun'>(items, async (part) => ((await mayGoOn()) ? call(part) : part.map(() => 'not_begun')))

/** `inHalvesWhile` for steps that must not begin after their automation was paused or archived. `call` answers results by step id. */
const whilePublished = <T extends AtNode, R>(
  ctx: Ctx,
  mayGoOn: Work['mayGoOn'],
  items: readonly T[],
  call: (items: readonly T[]) => Promise<ReadonlyMap<string, R>>,
): Promise<AnswerOfItem<T, R | 'not_begun'>[]> =>
  inHalvesWhile<T, R>(mayGoOn, items, async (part) => {
    const automationIds = part.map(({ person }) => person.automation_id)
    const published = await ctx.tx((em) => publishedAmong(em, ctx.workspaceId, automationIds))
    const isPublished = ({ person }: AtNode) => published.has(person.automation_id)
    const results = await call(part.filter(isPublished))
    return part.map((one) => (isPublished(one) ? results.get(one.person.step_id)! : 'not_begun'))
  })

function contactMissing({ step_id: stepId, waiting_reason: waitingReason }: EnrolledContact): StepResult {
  const step = unsettledEmail(stepId, waitingReason)
  return { kind: 'ended', end: 'cancelled', reason: 'contact_missing', ...(step ? { step } : {}) }
}

const waitOf = ({ wait_until: until }: EnrolledContact): Date | null => (until === null ? null : new Date(until))

/**
 * Nothing new is known about the step, so an email that may be sent stays one. A step whose own call broke is tried less and less
 * often, because it will probably break again.
 */
function postponed(ctx: Ctx, { person }: AtNode, reason: string, error: ErrorOfItem): SettledStep {
  const known = isUnsettled(person.waiting_reason) ? person.waiting_reason : reason
  const now = ctx.now()
  const hasFailed = error.isOfItem && !isOutage(error.error)
  const at = hasFailed ? heldUntil(new Date(person.arrived_at), now) : new Date(now.getTime() + retryAfterMs)
  return { person, result: { kind: 'later', reason: known, at, hasFailed } }
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
  /** by id; a contact that is missing does not exist any more */
  readonly contacts: ReadonlyMap<string, AutomationContact>
  readonly mergedTags: ContactFacts['mergedTags']
  /** what becomes of the steps whose contacts could not be read */
  readonly unread: ReadonlyMap<AtNode, SettledStep>
}

/** Asks for the contacts in one call. */
async function contactsOf(ctx: Ctx, asking: readonly AtNode[], { mayGoOn }: Work): Promise<KnownContacts> {
  const contacts = new Map<string, AutomationContact>()
  const mergedTags = new Map<string, string>()
  // The same for each part, because a contact may be in several.
  const needed = { fields: neededFields(asking), tagIds: neededTagIds(asking) }
  const answers = await inHalvesWhile(mayGoOn, asking, async (part) => {
    const described = await describeContacts(
      ctx,
      part.map(({ person }) => person.contact_id),
      needed,
    )
    for (const [id, contact] of described.contacts) contacts.set(id, contact)
    for (const [id, name] of described.mergedTags) mergedTags.set(id, name)
    return part.map(() => 'read')
  })
  const unread = answers.flatMap(({ item, result, error }): [AtNode, SettledStep][] => {
    if (result === 'not_begun') return [[item, notBegun(ctx, item)]]
    if (!error) return []
    ctx.log.warn({ err: error.error }, 'the contact of an automation step could not be read; the step will be retried')
    return [[item, postponed(ctx, item, 'contacts_unavailable', error)]]
  })
  return { contacts, mergedTags, unread: new Map(unread) }
}

const isAtLocal = (one: AtNode): one is AtNode<LocalNode & { key: string }> => isLocal(one.node)
const isEffect = (one: AtNode): one is AtNode<EffectNode & { key: string }> =>
  !isLocal(one.node) && one.node.type !== 'send_email'
const isEmail = (one: AtNode): one is AtNode<EmailNode> => one.node.type === 'send_email'

async function doEffects(
  ctx: Ctx,
  ready: readonly AtNode<EffectNode & { key: string }>[],
  { mayGoOn }: Work,
): Promise<SettledStep[]> {
  const answers = await whilePublished(ctx, mayGoOn, ready, (part) => {
    const steps = part.map(({ person, node }) => ({ ...stepIdsOf(person), node }))
    return applyContactEffects(ctx, steps)
  })
  return answers.map(({ item, result, error }) => {
    if (error) return afterError(ctx, item, error)
    if (result === 'not_begun') return notBegun(ctx, item)
    return { person: item.person, result: effectResult(item, result) }
  })
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

function afterError(ctx: Ctx, one: AtNode, error: ErrorOfItem): SettledStep {
  if (isRefusal(error.error)) return { person: one.person, result: failed(one.node, [error.error.reason]) }
  ctx.log.warn(
    { err: error.error, node_type: one.node.type },
    'steps of an automation could not be done; they will be retried',
  )
  return postponed(ctx, one, one.node.type === 'send_email' ? deliveryUnavailable : 'contacts_unavailable', error)
}

/** A synthetic contact gets no email. */
async function doEmails(
  ctx: Ctx,
  ready: readonly AtNode<EmailNode>[],
  { membershipsOf, traceOf, mayGoOn }: Work & { membershipsOf: (person: EnrolledContact) => readonly string[] },
): Promise<SettledStep[]> {
  const simulated = ready.filter(({ person }) => person.synthetic_context_id !== null)
  const real = ready.filter(({ person }) => person.synthetic_context_id === null)
  const audiences = await readOwnAudiences(ctx, real)
  const sent = await whilePublished(ctx, mayGoOn, real, (part) => {
    const wanted = part.map(({ person, node }) => ({
      ...stepIdsOf(person),
      audienceIds: candidateAudiences({
        ofTrigger: person.audience_id,
        own: audiences.get(person.enrollment_id),
        memberships: membershipsOf(person),
      }),
      contentVersionId: node.contentVersionId,
      senderIdentityId: node.senderIdentityId,
      traceparent: traceOf(person)['traceparent'] ?? '',
    }))
    return sendEmails(ctx.emails, ctx, wanted)
  })
  return [
    ...simulated.map(({ person, graph, node }): SettledStep => {
      const step = { nodeType: node.type, outcome: 'simulated' }
      return { person, result: { kind: 'moved', step, to: nextNode(graph, node) } }
    }),
    ...sent.map(({ item, result, error }) => {
      if (error) return afterError(ctx, item, error)
      if (result === 'not_begun') return notBegun(ctx, item)
      return { person: item.person, result: emailResult(ctx, item, result) }
    }),
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
