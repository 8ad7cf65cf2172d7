import { z } from 'zod'
import { parseJson } from '../manifest.ts'
import { ReconstructionRefusal } from '../refusal.ts'
import type { LegacyCondition, LegacyStep, LegacyWorkflow } from './legacy-workflow.ts'

const record = z.record(z.string(), z.unknown())

const mauticEvent = z.object({
  id: z.int(),
  type: z.string().max(190),
  eventType: z.string(),
  name: z.string().nullish(),
  order: z.int().nullish(),
  properties: z.union([record, z.array(z.unknown()).transform((): Record<string, unknown> => ({}))]).nullish(),
  triggerMode: z.string().nullish(),
  triggerDate: z.string().nullish(),
  triggerInterval: z.int().nullish(),
  triggerIntervalUnit: z.string().nullish(),
  triggerHour: z.string().nullish(),
  parent: z.union([z.object({ id: z.int() }), z.int().transform((id) => ({ id }))]).nullish(),
  decisionPath: z.enum(['yes', 'no']).nullish(),
})
type MauticEvent = z.output<typeof mauticEvent>

/** The answer of Mautic's `GET /api/campaigns/{id}`, as far as it is read. PHP writes an object with the keys 0, 1, … as a list. */
const mauticCampaign = z.object({
  campaign: z.object({
    id: z.int(),
    events: z.union([z.array(mauticEvent), z.record(z.string(), mauticEvent).transform((all) => Object.values(all))]),
    lists: z
      .union([
        z.array(z.object({ id: z.int(), name: z.string().nullish() })),
        z
          .record(z.string(), z.object({ id: z.int(), name: z.string().nullish() }))
          .transform((all) => Object.values(all)),
      ])
      .nullish(),
    forms: z.union([z.array(z.unknown()), record.transform((all) => Object.values(all))]).nullish(),
    allowRestart: z.union([z.boolean(), z.int()]).nullish(),
  }),
})

const eventsMax = 500

const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  i: 60,
  h: 3_600,
  d: 86_400,
  m: 30 * 86_400,
  y: 365 * 86_400,
}

/**
 * Reads a campaign of Mautic into the neutral format. Mautic runs the events below one event at the same time, each after its
 * own delay; here they follow each other in the order of their delays. What cannot be a step of one path is left out.
 */
export function workflowFromMautic(bytes: Uint8Array, path: string): LegacyWorkflow {
  const { campaign } = parseJson(mauticCampaign as unknown as z.ZodType<z.output<typeof mauticCampaign>>, bytes, path)
  if (campaign.events.length > eventsMax)
    throw new ReconstructionRefusal(
      'export',
      `${path} has ${campaign.events.length} events, and at most ${eventsMax} are read`,
    )
  const steps: LegacyStep[] = []
  const leftOut: LegacyWorkflow['left_out'] = []
  const notes: string[] = []
  const ids = new Set(campaign.events.map(({ id }) => id))
  const visited = new Set<number>()
  const below = (parent: number | null, way: 'yes' | 'no' | null) =>
    campaign.events.filter(
      (event) =>
        (event.parent && ids.has(event.parent.id) ? event.parent.id : null) === parent &&
        (parent === null || (event.decisionPath ?? null) === way),
    )
  const idOf = ({ id }: MauticEvent) => `event-${id}`

  function leaveOut(event: MauticEvent, reason: string): void {
    if (visited.has(event.id)) return
    visited.add(event.id)
    leftOut.push({ id: idOf(event), kind: event.type, reason })
    for (const way of ['yes', 'no', null] as const)
      for (const child of below(event.id, way)) leaveOut(child, `it follows ${idOf(event)}, which is left out`)
  }

  /** Adds the steps of events that start at the same time, and returns the first of them. */
  function chain(events: readonly MauticEvent[]): string | null {
    const [event, ...others] = events
      .filter(({ id }) => !visited.has(id))
      .toSorted((a, b) => delayOf(a) - delayOf(b) || (a.order ?? 0) - (b.order ?? 0) || a.id - b.id)
    return event === undefined ? null : chainFrom(event, others, 0)
  }

  function chainFrom(event: MauticEvent, others: readonly MauticEvent[], waited: number): string {
    visited.add(event.id)
    const delay = delayOf(event)
    const hasMore =
      event.eventType !== 'action' || (['yes', 'no', null] as const).some((way) => below(event.id, way).length > 0)
    if (hasMore)
      for (const other of others) leaveOut(other, `it runs beside ${idOf(event)}, and an automation has one path`)
    const [following, ...rest] = hasMore ? [] : others
    const isDated = delay === Infinity
    const first = `${idOf(event)}-wait`
    const hasWait = isDated || delay > waited
    const place = steps.length
    const follow = () => (following ? chainFrom(following, rest, isDated ? Infinity : Math.max(delay, waited)) : null)
    const start = addEvent(event, hasMore, follow)
    if (!hasWait) return start
    steps.splice(
      place,
      0,
      isDated
        ? { id: first, type: 'wait_until', at: event.triggerDate ?? '', next: start }
        : { id: first, type: 'wait', seconds: delay - waited, next: start },
    )
    if (event.triggerIntervalUnit === 'm' || event.triggerIntervalUnit === 'y')
      if (!isDated) notes.push(`${first}: months count as 30 days and years as 365 days.`)
    return first
  }

  /** Adds an event with what follows it; `follow` adds the next of the events that start at the same time. */
  function addEvent(event: MauticEvent, hasMore: boolean, follow: () => string | null): string {
    if (event.triggerHour) notes.push(`${idOf(event)} ran at a certain hour (${event.triggerHour.slice(0, 40)}).`)
    if (event.eventType === 'condition') return addBranch(event)
    if (event.eventType === 'decision') return addDecision(event)
    const parts = actionsOf(event)
    const place = steps.length
    const next = hasMore ? chain(below(event.id, null)) : follow()
    if (hasMore)
      for (const way of ['yes', 'no'] as const)
        for (const child of below(event.id, way)) leaveOut(child, `${idOf(event)} is an action and has no such way`)
    const linked = parts.map((part, index) => ({ ...part, next: parts[index + 1]?.id ?? next }) as LegacyStep)
    steps.splice(place, 0, ...linked)
    return linked[0]!.id
  }

  function addBranch(event: MauticEvent): string {
    const place = steps.length
    const yes = chain(below(event.id, 'yes'))
    const otherwise = chain(below(event.id, 'no'))
    for (const child of below(event.id, null))
      leaveOut(child, `${idOf(event)} is a condition, and this has neither way`)
    const branches = [{ name: 'yes', condition: conditionOf(event), next: yes }]
    steps.splice(place, 0, { id: idOf(event), name: nameOf(event), type: 'branch', branches, otherwise })
    return idOf(event)
  }

  /** An automation does not see opens, clicks and visits: contacts take the way of those who did nothing. */
  function addDecision(event: MauticEvent): string {
    for (const way of ['yes', null] as const)
      for (const child of below(event.id, way))
        leaveOut(child, `it waits for ${event.type} of ${idOf(event)}, which an automation does not see`)
    const place = steps.length
    const next = chain(below(event.id, 'no'))
    steps.splice(place, 0, { id: idOf(event), name: nameOf(event), type: 'other', kind: event.type, next })
    notes.push(`${idOf(event)} decided by ${event.type}. All contacts take the way of those who did not do it.`)
    return idOf(event)
  }

  const start = chain(below(null, null))
  for (const event of campaign.events) leaveOut(event, 'no event leads to it')
  const [list, ...others] = campaign.lists ?? []
  for (const other of others) notes.push(`Segment ${other.id} started the campaign too; an automation has one trigger.`)
  const forms = campaign.forms ?? []
  if (list && forms.length > 0) notes.push('Forms started the campaign too; an automation has one trigger.')
  if (campaign.allowRestart)
    notes.push('Contacts could restart the campaign. An automation takes them again only when its trigger fires again.')
  return {
    format: 'lettergate.legacy-workflow.v1',
    trigger: list
      ? { type: 'joined_list', list: String(list.id) }
      : { type: 'other', kind: forms.length > 0 ? 'the submission of a form' : 'not in the export' },
    start,
    steps,
    left_out: leftOut,
    notes,
  }
}

/** Seconds after the event before; a date counts as after all delays. */
function delayOf({ triggerMode, triggerInterval, triggerIntervalUnit }: MauticEvent): number {
  if (triggerMode === 'date') return Infinity
  if (triggerMode !== 'interval') return 0
  return Math.max(0, (triggerInterval ?? 0) * (unitSeconds[triggerIntervalUnit ?? 'd'] ?? 86_400))
}

const nameOf = ({ name }: MauticEvent) => name?.slice(0, 200)

/** A property. Mautic stores it directly, and in older campaigns below `properties`. */
function property(event: MauticEvent, name: string): unknown {
  const properties: Record<string, unknown> = event.properties ?? {}
  const nested = properties['properties']
  return (
    properties[name] ??
    (typeof nested === 'object' && nested !== null ? (nested as Record<string, unknown>)[name] : undefined)
  )
}

/** Names or ids of a list; others are dropped. */
const namesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : typeof value === 'object' && value !== null ? Object.values(value) : [])
    .filter((one) => typeof one === 'number' || (typeof one === 'string' && one.trim() !== ''))
    .map(String)

type WithoutNext<T> = T extends unknown ? Omit<T, 'next'> : never

/** The steps of one action, at least one, without their links. */
function actionsOf(event: MauticEvent): [WithoutNext<LegacyStep>, ...WithoutNext<LegacyStep>[]] {
  const id = `event-${event.id}`
  const made = partsOf(event).map((part, index) => ({ ...part, id: index === 0 ? id : `${id}-${index + 1}` }))
  const [first, ...others] = made as WithoutNext<LegacyStep>[]
  return first ? [first, ...others] : [{ id, name: nameOf(event), type: 'other', kind: event.type }]
}

function partsOf(event: MauticEvent): object[] {
  const name = nameOf(event)
  if (event.type === 'email.send') {
    const email = property(event, 'email')
    const isId = typeof email === 'number' || (typeof email === 'string' && email !== '')
    return isId ? [{ name, type: 'email', email: String(email), sender: 'default' }] : []
  }
  if (event.type === 'lead.changepoints') {
    const points = Number(property(event, 'points'))
    return Number.isSafeInteger(points) ? [{ name, type: 'add_score', amount: points }] : []
  }
  if (event.type === 'lead.changetags')
    return [
      ...namesIn(property(event, 'add_tags')).map((tag) => ({ name, type: 'add_tag', tag })),
      ...namesIn(property(event, 'remove_tags')).map((tag) => ({ name, type: 'remove_tag', tag })),
    ]
  if (event.type === 'lead.changelist')
    return [
      ...namesIn(property(event, 'addToLists')).map((list) => ({ name, type: 'join_list', list })),
      ...namesIn(property(event, 'removeFromLists')).map((list) => ({ name, type: 'leave_list', list })),
    ]
  return []
}

const operators: Readonly<Record<string, string>> = {
  '=': 'equals',
  '!=': 'not_equals',
  gt: 'greater_than',
  lt: 'less_than',
  empty: 'not_exists',
  '!empty': 'exists',
  contains: 'contains',
}

function conditionOf(event: MauticEvent): LegacyCondition {
  const anyOf = (parts: LegacyCondition[]): LegacyCondition =>
    parts.length === 0 ? { other: `${event.type} without a value` } : { any: parts.slice(0, 20) }
  if (event.type === 'lead.tags')
    return anyOf(namesIn(property(event, 'tags')).map((tag) => ({ tag, operator: 'exists' })))
  if (event.type === 'lead.segments')
    return anyOf(namesIn(property(event, 'segments')).map((list) => ({ list, operator: 'exists' })))
  if (event.type !== 'lead.field_value') return { other: event.type }
  const [field, sign, value] = ['field', 'operator', 'value'].map((name) => property(event, name))
  const operator = typeof sign === 'string' && Object.hasOwn(operators, sign) ? operators[sign]! : undefined
  if (typeof field !== 'string' || operator === undefined)
    return { other: `${event.type} with the operator ${String(sign)}` }
  return { field, operator, value }
}
