import { Cron } from 'croner'
import { configReader, type ConfigReader } from './config-reader.ts'
import type { JsonValue, Trigger } from './definition.ts'

const nameCharsMax = 160
const offsetDaysMax = 3_650

type Readers = { [T in Trigger['type']]: (config: ConfigReader) => Trigger }

const readers: Readers = {
  audience_subscribed: (config) => ({ type: 'audience_subscribed', audienceId: config.uuid('audience_id') }),
  tag_added: (config) => ({ type: 'tag_added', tag: config.tag('tag') }),
  tag_removed: (config) => ({ type: 'tag_removed', tag: config.tag('tag') }),
  contact_field_changed: (config) => ({ type: 'contact_field_changed', field: config.contactField('field') }),
  contact_date: (config) => ({
    type: 'contact_date',
    field: config.contactField('field'),
    offsetDays: config.integer('offset_days', -offsetDaysMax, offsetDaysMax),
  }),
  recurring_schedule: readSchedule,
  api_event: (config) => ({ type: 'api_event', eventName: config.text('event_name', nameCharsMax) }),
  manual: () => ({ type: 'manual' }),
}

export const triggerTypes = Object.keys(readers) as Trigger['type'][]

/** Reads `{type, config}`. The result is usable only if no problem was added. */
export function readTrigger(given: JsonValue | undefined, path: string, problems: string[]): Trigger {
  const trigger = configReader(given, path, problems)
  const named = trigger.take('type')
  const type = triggerTypes.find((known) => known === named)
  if (type === undefined) problems.push(`${path}.type must be one of ${triggerTypes.join(', ')}.`)
  const config = configReader(trigger.take('config'), `${path}.config`, problems)
  const read = type === undefined ? { type: 'manual' as const } : readers[type](config)
  if (type !== undefined) config.refuseOthers()
  trigger.refuseOthers()
  return read
}

/** The pattern has five parts, as in a crontab, and the time zone is an IANA name. */
function readSchedule(config: ConfigReader): Trigger {
  const cron = config.text('cron', nameCharsMax)
  const timezone = config.text('timezone', nameCharsMax)
  if (cron !== '' && scheduleError(cron, 'UTC') !== undefined)
    config.problems.push(`${config.path}.cron must be a pattern of five parts, for instance "0 9 * * 1".`)
  if (timezone !== '' && scheduleError('0 9 * * 1', timezone) !== undefined)
    config.problems.push(`${config.path}.timezone must be the name of a time zone, for instance "Europe/Berlin".`)
  return { type: 'recurring_schedule', cron, timezone }
}

function scheduleError(cron: string, timezone: string): unknown {
  try {
    new Cron(cron, { timezone, paused: true, mode: '5-part' }).nextRun()
    return undefined
  } catch (error) {
    return error
  }
}
