import type { DescMessage } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'
import { firstTime, type Received } from '@lettergate/events'
import { isCanonicalUuid } from '@lettergate/values/uuid'
import { publicationsSince } from '../automations/automation-publication.entity.ts'
import { selectAutomations, type AutomationRow } from '../automations/automation.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { Trigger } from '../definition/definition.ts'
import type { Graph } from '../definition/graph.ts'
import { dependsOnContact, waitEnd } from '../definition/wait-end.ts'
import { enroll, type Entrant } from './enroll.ts'
import { erasedAmong } from './erased-contact.entity.ts'

/** What a trigger event says: who, and the audience or tag. */
interface Fired {
  readonly contactId: string
  readonly subjectId: string
}

interface TriggerEvents<S extends DescMessage> {
  readonly type: Trigger['type']
  readonly events: Received<S>[]
  readonly firedBy: (event: Received<S>) => Fired
}

/**
 * Enrols the contacts of trigger events into the published automations with this trigger. An event enrols nobody if the gate was
 * closed or the automation was not published with this trigger when it happened, nor while that is so now, nor an erased contact. While it
 * is not known whether the gate is open, the events are delivered again.
 */
export async function enrollByTrigger<S extends DescMessage>(
  ctx: Ctx,
  { type, events, firedBy }: TriggerEvents<S>,
): Promise<void> {
  const { state, wasClosedAt } = await gateAfterEvents(ctx)
  if (state === 'unknown')
    throw new Fault('unavailable', 'automation_enabled', 'The state of the platform gates is not known.')
  if (state === 'closed') return
  const entered = await ctx.tx(async (em) => {
    const { workspaceId } = ctx
    const fired = (await firstTime(em, events))
      .filter(({ time }) => !wasClosedAt(time))
      .map((event) => ({ event, ...firedBy(event) }))
      .filter(({ contactId, subjectId }) => isCanonicalUuid(contactId) && isCanonicalUuid(subjectId))
    if (fired.length === 0) return 0
    // The share lock makes a pause wait until those who came before it are enrolled.
    const automations = await selectAutomations(em, workspaceId)
      .where('status', '=', 'published')
      .where('trigger_type', '=', type)
      .where('trigger_subject_id', '=', (eb) => eb.fn.any(eb.val([...new Set(fired.map((one) => one.subjectId))])))
      .orderBy('id')
      .forShare()
      .execute()
    if (automations.length === 0) return 0
    const since = new Date(Math.min(...fired.map(({ event }) => event.time.getTime())))
    const wasPublished = await publicationsSince(em, workspaceId, { automations, since })
    const contactIds = fired.map((one) => one.contactId)
    const erased = await erasedAmong(em, workspaceId, contactIds)
    const graphs = await ctx.graphs(em, workspaceId, automations.map(versionOf))
    const now = ctx.now()
    const startOf = new Map(automations.map((one) => [one.id, startIn(graphs.get(versionOf(one))!, now)]))
    const remaining = fired.filter(({ contactId }) => !erased.has(contactId))
    const entrants = remaining.flatMap(({ event, contactId, subjectId }) =>
      automations
        .filter((one) => one.trigger_subject_id === subjectId && wasPublished(one, event.time))
        .map((one): Entrant => ({
          automationId: one.id,
          versionId: versionOf(one),
          ...startOf.get(one.id)!,
          contactId,
          triggerType: type,
          audienceId: type === 'audience_subscribed' ? subjectId : null,
          correlationId: event.correlationId,
          trace: event.trace,
        })),
    )
    return enroll(em, workspaceId, entrants, now)
  })
  if (entered > 0) ctx.wakeWorkers()
}

/** A known gate that is closed may be open since, and then the events would be lost, so it is read again. */
async function gateAfterEvents(ctx: Ctx) {
  const known = await ctx.gate.read(ctx)
  return known.state === 'closed' ? ctx.gate.readNow(ctx) : known
}

/** An automation that begins with a wait whose end does not depend on the contact needs no step for it. */
function startIn(graph: Graph, now: Date): Pick<Entrant, 'startNode' | 'waitUntil'> {
  const node = graph.nodeOf(graph.startNode)
  const isWait = node?.type === 'wait_duration' || node?.type === 'wait_until_date'
  const until = isWait && !dependsOnContact(node) ? waitEnd(node, now, undefined) : undefined
  return { startNode: graph.startNode, waitUntil: until && until > now ? until : null }
}

function versionOf({ published_version_id: id }: AutomationRow): string {
  if (id === null) throw new Error('a published automation has no published version')
  return id
}
