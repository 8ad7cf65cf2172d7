import { isCalendarDate } from '@lettergate/values/calendar-date'
import { isDateTime } from '@lettergate/values/moment'
import type { ContactFacts } from './condition-holds.ts'
import type { AutomationNode, JsonValue } from './definition.ts'
import { startOfDay } from './start-of-day.ts'

export type WaitNode = Extract<AutomationNode, { type: 'wait_duration' | 'wait_until_date' }>

/** Whether the end of a wait that begins here depends on the contact. */
export const dependsOnContact = (node: WaitNode): boolean => node.type === 'wait_until_date' && 'field' in node.until

/** The end of a wait that begins now. Undefined without a date. A node that depends on the contact needs its facts. */
export function waitEnd(node: WaitNode, now: Date, facts: ContactFacts | undefined): Date | undefined {
  if (node.type === 'wait_duration') return new Date(now.getTime() + node.seconds * 1_000)
  return 'at' in node.until ? new Date(node.until.at.toUpperCase()) : dateOf(node.until.field, facts!)
}

/** The instant of a date field: a date begins at midnight in the time zone of the contact. */
function dateOf(field: string, { fields }: ContactFacts): Date | undefined {
  const value: JsonValue | undefined = fields[field]
  if (typeof value !== 'string') return undefined
  if (isDateTime(value)) return new Date(value.toUpperCase())
  const timezone = fields['timezone']
  return isCalendarDate(value) ? startOfDay(value, typeof timezone === 'string' ? timezone : undefined) : undefined
}
