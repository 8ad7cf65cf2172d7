import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { isDateTime } from '@lettergate/values/moment'
import { mapped, type LegacyMapping } from '../mapping.ts'
import {
  followersOf,
  type LegacyCondition,
  type LegacyStep,
  type LegacyTrigger,
  type LegacyWorkflow,
} from './legacy-workflow.ts'

/** What became of a workflow, for the person who reviews it. Every step is in exactly one of the first two lists. */
export interface ReconstructionReview {
  mapped: { source: string; kind: string; target: string }[]
  not_mapped: { source: string; kind: string; reason: string }[]
  must_review: string[]
}

/** The content version of a legacy email, or why there is none. */
export type ContentOf = (emailId: string) => { contentVersionId: string } | { reason: string }

interface Surroundings {
  readonly mapping: LegacyMapping
  readonly contentOf: ContentOf
  /** the contact field of a field of the legacy system */
  readonly fieldOf: (legacy: string) => string | undefined
}

/** The config of a node, or why the step has none. */
type Made = { type: string; config: JsonObject; review?: string } | { reason: string }

const secondsMax = 10 * 366 * 86_400

/**
 * Makes a definition of an automation from a legacy workflow. A step without a counterpart is left out, and the steps before it
 * continue with the step after it. Nothing is guessed: names of the legacy system count only as the mapping says.
 */
export function toDefinition(
  workflow: LegacyWorkflow,
  surroundings: Surroundings,
): { definition: JsonObject; review: ReconstructionReview } {
  const review: ReconstructionReview = { mapped: [], not_mapped: [], must_review: [...fixedNotes, ...workflow.notes] }
  const made = new Map(workflow.steps.map((step) => [step.id, nodeOf(step, surroundings)]))
  const byId = new Map(workflow.steps.map((step) => [step.id, step]))
  const endKey = unusedKey('end', byId)
  let endIsUsed = false

  for (const [id, node] of made) {
    const kind = kindOf(byId.get(id)!)
    if ('reason' in node) review.not_mapped.push({ source: id, kind, reason: node.reason })
    else {
      review.mapped.push({ source: id, kind, target: node.type })
      if (node.review !== undefined) review.must_review.push(`Step ${id}: ${node.review}`)
    }
  }
  for (const { id, kind, reason } of workflow.left_out) review.not_mapped.push({ source: id, kind, reason })

  /** The node at which a contact arrives who is sent to a step. A loop of steps that are left out ends. */
  const arriveAt = (id: string | null, seen: readonly string[] = []): string => {
    const node = id === null ? undefined : made.get(id)
    if (id === null || node === undefined || seen.includes(id)) {
      endIsUsed = true
      return endKey
    }
    if (!('reason' in node)) return id
    const step = byId.get(id)!
    // of a branch that is left out, contacts take the way without a condition
    return arriveAt(step.type === 'branch' ? step.otherwise : (followersOf(step)[0] ?? null), [...seen, id])
  }

  const start = arriveAt(workflow.start)
  const edges: JsonObject[] = []
  for (const step of workflow.steps) {
    if ('reason' in made.get(step.id)! || step.type === 'end') continue
    if (step.type !== 'branch') {
      edges.push({ from: step.id, to: arriveAt(step.next), branch: 'default' })
      continue
    }
    for (const branch of branchesOf(step, surroundings)) {
      if (branch.condition === undefined)
        review.must_review.push(
          `Step ${step.id}: the way ${JSON.stringify(branch.name)} is left out, because its condition has no counterpart (${branch.reason}). Its contacts take the way without a condition.`,
        )
      else edges.push({ from: step.id, to: arriveAt(branch.next), branch: branch.name, condition: branch.condition })
    }
    edges.push({ from: step.id, to: arriveAt(step.otherwise), branch: 'default' })
  }
  const nodes: JsonObject[] = workflow.steps.flatMap((step) => {
    const node = made.get(step.id)!
    return 'reason' in node ? [] : [{ key: step.id, type: node.type, config: node.config }]
  })
  if (endIsUsed) nodes.push({ key: endKey, type: 'end', config: {} })
  const trigger = triggerOf(workflow.trigger, surroundings)
  if (trigger.review !== undefined) review.must_review.push(trigger.review)
  return { definition: { trigger: trigger.made, start_node: start, nodes, edges }, review }
}

const fixedNotes = [
  'Read the whole definition before it is marked as ready for review. Compare it with the workflow of the legacy system.',
  'Read every email that it names, with its links, images and tokens.',
]

const kindOf = (step: LegacyStep): string => (step.type === 'other' ? step.kind : step.type)

function unusedKey(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let key = wanted
  for (let number = 2; taken.has(key); number += 1) key = `${wanted}-${number}`
  return key
}

function nodeOf(step: LegacyStep, { mapping, contentOf, fieldOf }: Surroundings): Made {
  if (step.id.length > 160) return { reason: 'its id is longer than 160 characters' }
  switch (step.type) {
    case 'email': {
      const content = contentOf(step.email)
      if ('reason' in content) return content
      const sender = mapped(mapping.senders, step.sender)
      if (sender === undefined) return { reason: `the mapping has no sender ${JSON.stringify(step.sender)}` }
      return {
        type: 'send_email',
        config: { content_version_id: content.contentVersionId, sender_identity_id: sender },
      }
    }
    case 'wait':
      return step.seconds >= 1 && step.seconds <= secondsMax
        ? { type: 'wait_duration', config: { seconds: step.seconds } }
        : { reason: `a wait has 1 to ${secondsMax} seconds, and this one ${step.seconds}` }
    case 'wait_until':
      return isDateTime(step.at)
        ? { type: 'wait_until_date', config: { at: step.at }, review: `it waits until ${step.at}, which may be past.` }
        : { reason: `${JSON.stringify(step.at)} is no date-time with an offset` }
    case 'add_tag':
    case 'remove_tag': {
      const tag = mapped(mapping.tags, step.tag)
      return tag === undefined ? noTag(step.tag) : { type: step.type, config: { tag } }
    }
    case 'join_list': {
      const audience = mapped(mapping.audiences, step.list)
      if (audience === undefined) return noAudience(step.list)
      if (audience.consent === undefined)
        return { reason: `the mapping names no wording of consent for the list ${JSON.stringify(step.list)}` }
      return {
        type: 'add_audience',
        config: { audience_id: audience.audience_id, ...audience.consent },
        review: 'it adds contacts to an audience. Check that the named wording is what they agreed to.',
      }
    }
    case 'leave_list': {
      const audience = mapped(mapping.audiences, step.list)
      return audience === undefined
        ? noAudience(step.list)
        : { type: 'remove_audience', config: { audience_id: audience.audience_id } }
    }
    case 'set_field': {
      const field = fieldOf(step.field)
      if (field === undefined) return noField(step.field)
      if (field === 'email') return { reason: 'an automation does not change the address of a contact' }
      return { type: 'update_contact_field', config: { field, value: step.value as JsonValue } }
    }
    case 'add_score':
      return { type: 'adjust_score', config: { amount: step.amount } }
    case 'branch':
      return branchesOf(step, { mapping, contentOf, fieldOf }).some(({ condition }) => condition !== undefined)
        ? { type: 'decision', config: {} }
        : { reason: 'none of its conditions has a counterpart, so contacts take the way without a condition' }
    case 'end':
      return { type: 'end', config: {} }
    case 'other':
      return { reason: 'Lettergate has no such step' }
  }
}

const noTag = (tag: string) => ({ reason: `the mapping has no tag ${JSON.stringify(tag)}` })
const noField = (field: string) => ({ reason: `the mapping has no field ${JSON.stringify(field)}` })
const noAudience = (list: string) => ({ reason: `the mapping has no audience for the list ${JSON.stringify(list)}` })

function branchesOf(step: Extract<LegacyStep, { type: 'branch' }>, surroundings: Surroundings) {
  const taken = new Set(['default'])
  return step.branches.map((branch) => {
    let name = branch.name.slice(0, 150)
    for (let number = 2; taken.has(name); number += 1) name = `${branch.name.slice(0, 150)}-${number}`
    taken.add(name)
    const read = conditionOf(branch.condition, surroundings)
    return 'reason' in read
      ? { name, next: branch.next, condition: undefined, reason: read.reason }
      : { name, next: branch.next, condition: read.condition, reason: '' }
  })
}

const fieldOperators = ['equals', 'not_equals', 'contains', 'exists', 'not_exists', 'greater_than', 'less_than', 'in']
const scoreOperators = ['equals', 'not_equals', 'greater_than', 'less_than', 'in']
const presence = ['exists', 'not_exists']

type ReadCondition = { condition: JsonObject } | { reason: string }

/** A condition with a part that has no counterpart has none itself: a weaker condition would choose other contacts. */
function conditionOf(given: LegacyCondition, surroundings: Surroundings): ReadCondition {
  const { mapping, fieldOf } = surroundings
  const several = (name: 'all' | 'any', parts: LegacyCondition[]): ReadCondition => {
    const read = parts.map((part) => conditionOf(part, surroundings))
    const failed = read.find((part) => 'reason' in part)
    return failed ?? { condition: { [name]: read.map((part) => ('condition' in part ? part.condition : {})) } }
  }
  const compare = (
    subject: JsonObject,
    allowed: string[],
    { operator, value }: { operator: string; value?: unknown },
  ) => {
    if (!allowed.includes(operator)) return { reason: `the operator ${operator} does not exist` }
    const hasValue = !presence.includes(operator)
    return { condition: { ...subject, operator, ...(hasValue ? { value: (value ?? null) as JsonValue } : {}) } }
  }
  if ('all' in given) return several('all', given.all)
  if ('any' in given) return several('any', given.any)
  if ('not' in given) {
    const inner = conditionOf(given.not, surroundings)
    return 'reason' in inner ? inner : { condition: { not: inner.condition } }
  }
  if ('other' in given) return { reason: given.other }
  if ('field' in given) {
    const field = fieldOf(given.field)
    return field === undefined ? noField(given.field) : compare({ field }, fieldOperators, given)
  }
  if ('tag' in given) {
    const tag = mapped(mapping.tags, given.tag)
    return tag === undefined ? noTag(given.tag) : compare({ tag }, presence, given)
  }
  if ('list' in given) {
    const audience = mapped(mapping.audiences, given.list)
    return audience === undefined
      ? noAudience(given.list)
      : compare({ audience_id: audience.audience_id }, presence, given)
  }
  return compare({ score: true }, scoreOperators, given)
}

/** The trigger; `manual`, which enrols nobody, in place of one without a counterpart. */
function triggerOf(given: LegacyTrigger, { mapping }: Surroundings): { made: JsonObject; review?: string } {
  const manual = (what: string) => ({
    made: { type: 'manual', config: {} },
    review: `The trigger was ${what}. The automation is manual and enrols nobody until a person chooses a trigger.`,
  })
  if (given.type === 'joined_list') {
    const audience = mapped(mapping.audiences, given.list)
    if (audience === undefined) return manual(`joining the list ${JSON.stringify(given.list)}, which is not mapped`)
    return {
      made: { type: 'audience_subscribed', config: { audience_id: audience.audience_id } },
      review: `The trigger is a new subscription to the audience of the list ${JSON.stringify(given.list)}. Contacts who joined the list in the legacy system are not enrolled.`,
    }
  }
  if (given.type === 'tag_added' || given.type === 'tag_removed') {
    const tag = mapped(mapping.tags, given.tag)
    return tag === undefined
      ? manual(`the tag ${JSON.stringify(given.tag)}, which is not mapped`)
      : { made: { type: given.type, config: { tag } } }
  }
  return given.type === 'manual' ? { made: { type: 'manual', config: {} } } : manual(given.kind)
}
