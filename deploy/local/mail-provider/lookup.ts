import type { MailgunWebhookType } from './account.ts'
import { eventData, eventName } from './event-payload.ts'
import { messageIdOf, subjectOf, variablesOf, type Delivery, type Happened, type Mailbox } from './mailbox.ts'

/** One condition on an event; all of a query's conditions must hold. */
export type Condition = (delivery: Delivery, happened: Happened) => boolean

export interface FoundEvent {
  readonly delivery: Delivery
  readonly happened: Happened
}

/** Longest scan of a query, so that one without conditions ends in a full mailbox. */
const foundMax = 20_000

/** The events that satisfy all conditions, oldest first. */
export function findEvents(mailbox: Mailbox, conditions: readonly Condition[]): FoundEvent[] {
  const found: FoundEvent[] = []
  for (const delivery of mailbox.newestFirst()) {
    for (const happened of delivery.happened) {
      if (conditions.every((holds) => holds(delivery, happened))) found.push({ delivery, happened })
    }
    if (found.length >= foundMax) break
  }
  return found.sort((a, b) => a.happened.at - b.happened.at)
}

const bare = (messageId: string) => messageId.replace(/^<|>$/g, '')
const failures: readonly MailgunWebhookType[] = ['permanent_fail', 'temporary_fail']

/** Reads a name of a query; undefined for an unknown one. User variables are `user-variables.<name>`. */
function textOf(attribute: string): ((delivery: Delivery, happened: Happened) => string) | undefined {
  const name = attribute.toLowerCase().replaceAll('_', '-')
  const variable = /^(?:user-variables[.:]|v:)(.+)$/i.exec(attribute.replace('user_variables', 'user-variables'))?.[1]
  if (variable !== undefined) return (delivery) => variablesOf(delivery)[variable] ?? ''
  switch (name) {
    case 'message-id':
    case 'message.headers.message-id':
      return (delivery) => messageIdOf(delivery)
    case 'recipient':
    case 'to':
      return (delivery) => delivery.address.toLowerCase()
    case 'recipient-domain':
      return (delivery) => delivery.address.slice(delivery.address.lastIndexOf('@') + 1).toLowerCase()
    case 'domain':
      return (delivery) => delivery.batch.domain
    case 'from':
      return (delivery) => delivery.batch.from
    case 'subject':
      return (delivery) => subjectOf(delivery)
    case 'tag':
    case 'tags':
      return (delivery) => delivery.batch.tags.join(' ')
    case 'event':
      return (_delivery, happened) => eventName(happened.kind)
    case 'severity':
      return (_delivery, { kind }) => (failures.includes(kind) ? kind.replace('_fail', '') : '')
    default:
      return undefined
  }
}

/** Reads one filter; several values are alternatives. Returns undefined for an unknown attribute or comparator. */
export function condition(attribute: string, comparator: string, values: readonly string[]): Condition | undefined {
  if (attribute.replace('_', '-') === 'user-variables') return pairCondition(values)
  const read = textOf(attribute)
  if (!read) return undefined
  const wanted = values.map((value) =>
    /message.id/i.test(attribute) ? bare(value) : /^(recipient|to)$/i.test(attribute) ? value.toLowerCase() : value,
  )
  switch (comparator) {
    case '=':
      return (delivery, happened) => wanted.includes(read(delivery, happened))
    case '!=':
      return (delivery, happened) => !wanted.includes(read(delivery, happened))
    case 'contains':
      return (delivery, happened) => wanted.some((value) => read(delivery, happened).includes(value))
    default:
      return undefined
  }
}

/** `user-variables` as a whole: the value is `{"name": "value"}` or `name:value`. */
function pairCondition(values: readonly string[]): Condition {
  const wanted = values.map((value): [string, unknown][] => {
    if (value.startsWith('{')) return Object.entries(JSON.parse(value) as Record<string, unknown>)
    const colon = value.indexOf(':')
    return [[value.slice(0, colon), value.slice(colon + 1)]]
  })
  return (delivery) => {
    const variables = variablesOf(delivery)
    return wanted.some((pairs) => pairs.every(([name, value]) => variables[name] === String(value)))
  }
}

/** The event as the logs API writes it: `event-data` with `@timestamp`, and the variables as JSON text. */
export function logItem({ delivery, happened }: FoundEvent) {
  const { timestamp: _epoch, ...data } = eventData(delivery, happened)
  return {
    ...data,
    '@timestamp': new Date(happened.at).toISOString(),
    'user-variables': JSON.stringify(variablesOf(delivery)),
  }
}
