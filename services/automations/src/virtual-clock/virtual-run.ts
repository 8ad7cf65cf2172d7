import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { EffectNode } from '../contacts/apply-contact-effects.ts'
import type { ContactFacts } from '../definition/condition-holds.ts'
import type { AutomationNode } from '../definition/definition.ts'
import type { Graph } from '../definition/graph.ts'
import { decideStep, isLocal, nextNode } from '../engine/decide-step.ts'
import type { EnrolledContact } from '../engine/enrolled-contact.ts'
import { followStep, personAt, type EndedEnrollment, type Finished, type StepIds } from '../engine/follow-step.ts'
import type { StepResult } from '../engine/step-result.ts'
import { effectOnFacts } from './effect-on-facts.ts'

/** How far a virtual clock goes. */
const virtualYearsMax = 100
/** Other requests of the process are served each time this many nodes were done. */
const turnsAtOnce = 20

interface Start {
  readonly graph: Graph
  /** the contact at its first step */
  readonly person: EnrolledContact
  readonly facts: ContactFacts
  /** the tags that the definition names and the workspace has */
  readonly tags: ContactFacts['tags']
  readonly startsAt: Date
}

interface VirtualRun {
  readonly finished: readonly Finished[]
  readonly end: EndedEnrollment
  readonly endedAt: Date
}

/**
 * Follows a contact from the first step to the end. A wait moves the clock to its end. Emails and effects are simulated: effects
 * change only the facts that later decisions of this run see. The same input gives the same steps with the same ids and times.
 */
export async function runVirtually({ graph, person: first, facts: known, tags, startsAt }: Start): Promise<VirtualRun> {
  const stepIdOf = virtualStepIds(first, startsAt)
  const last = new Date(startsAt)
  last.setUTCFullYear(last.getUTCFullYear() + virtualYearsMax)
  const finished: Finished[] = []
  let [person, facts, now] = [{ ...first, step_id: stepIdOf(1) }, known, startsAt]
  for (let turn = 1; ; turn += 1) {
    if (turn % turnsAtOnce === 0) await setImmediate()
    const node = graph.nodeOf(person.node_key)
    if (!node) throw new Error('a contact is at a node that its version does not have')
    const at = { graph, facts, now, waitUntil: person.wait_until === null ? null : new Date(person.wait_until) }
    const done = isLocal(node) ? { facts, result: decideStep(node, at) } : simulate(node, { graph, facts, tags })
    facts = done.facts
    const followed = followStep(
      { person, result: done.result },
      { graph, now, stepIdOf, state: 'active', goesOn: true },
    )
    finished.push(...followed.finished)
    if (followed.end) return { finished, end: followed.end, endedAt: now }
    const { move } = followed
    if (!move) throw new Error('a step without an end has no move')
    person = personAt(move)
    if (move.dueAt > last)
      return { finished, end: { person, end: 'cancelled', reason: 'virtual_time_over' }, endedAt: last }
    now = move.dueAt
  }
}

/** The result of a step that would call another service, and the facts after it. */
function simulate(
  node: (EffectNode & AutomationNode) | Extract<AutomationNode, { type: 'send_email' }>,
  { graph, facts, tags }: Pick<Start, 'graph' | 'facts' | 'tags'>,
): { facts: ContactFacts; result: StepResult } {
  const after = node.type === 'send_email' ? facts : effectOnFacts(node, facts, tags)
  if (typeof after !== 'string') {
    const step = { nodeType: node.type, outcome: 'simulated' }
    return { facts: after, result: { kind: 'moved', step, to: nextNode(graph, node) } }
  }
  const step = { nodeType: node.type, outcome: 'failed', reasons: [after] }
  return { facts, result: { kind: 'ended', end: 'failed', reason: after, step } }
}

/** UUIDs that depend only on the version, the contact, the beginning and the number of the step. */
function virtualStepIds({ version_id: versionId, contact_id: contactId }: EnrolledContact, startsAt: Date): StepIds {
  return (stepNumber) => {
    const hash = createHash('sha256').update(`${versionId} ${contactId} ${startsAt.toISOString()} ${stepNumber}`)
    const bytes = hash.digest().subarray(0, 16)
    // Version 8 of RFC 9562: bytes of an application.
    bytes[6] = (bytes[6]! & 0x0f) | 0x80
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}
