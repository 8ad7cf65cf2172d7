import type { AutomationNode, AutomationTrigger } from '@lettergate/client'
import { spanOf } from '../../parts/duration.ts'
import { inWords } from '../../parts/words.ts'

/** Names by the ids that nodes contain. */
export type Names = Readonly<Record<string, string>>

/** The names that a version stored of what it uses. */
export const namesOf = (dependencies: readonly Record<string, unknown>[]): Names =>
  Object.fromEntries(
    dependencies
      .filter(({ id }) => typeof id === 'string')
      .map(({ id, name, subject, display_name }) => [id as string, text(name ?? subject ?? display_name)]),
  )

/** A value in a sentence; “…” is one that is not chosen yet. */
const text = (value: unknown): string => {
  if (value === undefined || value === '') return '…'
  if (value === null) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What a node does, in one line. `names` has the names of audiences, contents and senders by their ids. */
export function nodeInWords({ type, config }: AutomationNode, names: Names): string {
  const named = (key: string) => names[text(config[key])] ?? text(config[key])
  switch (type) {
    case 'send_email':
      return `Send “${named('content_version_id')}”`
    case 'wait_duration':
      return `Wait ${spanOf(Number(config['seconds']))}`
    case 'wait_until_date':
      return `Wait until ${text(config['at'] ?? config['field'])}`
    case 'add_tag':
      return `Add the tag ${text(config['tag'])}`
    case 'remove_tag':
      return `Remove the tag ${text(config['tag'])}`
    case 'add_audience':
      return `Subscribe to ${named('audience_id')}`
    case 'remove_audience':
      return `Unsubscribe from ${named('audience_id')}`
    case 'update_contact_field':
      return `Set ${text(config['field'])} to ${text(config['value'])}`
    case 'adjust_score':
      return `Change the score by ${text(config['amount'])}`
    case 'decision':
      return 'Decide'
    case 'end':
      return 'End'
  }
}

/** What enrolls a contact. */
export function triggerInWords({ type, config }: AutomationTrigger, names: Names): string {
  if (type === 'audience_subscribed')
    return `When somebody joins ${names[text(config['audience_id'])] ?? 'an audience'}`
  if (type === 'tag_added') return `When the tag ${text(config['tag'])} is added`
  if (type === 'tag_removed') return `When the tag ${text(config['tag'])} is removed`
  return `${waitingTrigger(type, config)} (enrolls nobody yet)`
}

/** Triggers that can be written down, and that no release enrolls by so far. */
function waitingTrigger(type: AutomationTrigger['type'], config: AutomationTrigger['config']): string {
  if (type === 'contact_field_changed') return `When the field ${text(config['field'])} changes`
  if (type === 'contact_date') return `By the date in the field ${text(config['field'])}`
  if (type === 'api_event') return `When a program reports ${text(config['event_name'])}`
  if (type === 'manual') return 'When somebody is added by hand'
  return 'At times of a schedule'
}

/** The condition of a branch in one line. */
export function conditionInWords(condition: Record<string, unknown> | undefined): string {
  if (condition === undefined) return ''
  for (const [key, joint] of [
    ['all', ' and '],
    ['any', ' or '],
  ] as const) {
    const parts = condition[key]
    if (Array.isArray(parts)) return parts.map((part) => conditionInWords(part as Record<string, unknown>)).join(joint)
  }
  if (condition['not']) return `not (${conditionInWords(condition['not'] as Record<string, unknown>)})`
  const { field, tag, operator, value } = condition
  const subject = tag ? `tag ${text(tag)}` : field ? text(field) : condition['score'] ? 'score' : 'audience'
  return [subject, inWords(text(operator)).toLowerCase(), value === undefined || value === null ? '' : text(value)]
    .join(' ')
    .trim()
}
