import { isDateTime } from '@lettergate/values/moment'
import { configReader, type ConfigReader } from './config-reader.ts'
import type { AutomationNode, JsonValue, NodeWork } from './definition.ts'

const keyCharsMax = 160
const nameCharsMax = 160
const valueCharsMax = 10_000
const secondsMax = 10 * 366 * 86_400
const amountMax = 1_000_000

const readers: { [T in NodeWork['type']]: (config: ConfigReader) => NodeWork } = {
  send_email: (config) => ({
    type: 'send_email',
    contentVersionId: config.uuid('content_version_id'),
    senderIdentityId: config.uuid('sender_identity_id'),
  }),
  wait_duration: (config) => ({ type: 'wait_duration', seconds: config.integer('seconds', 1, secondsMax) }),
  wait_until_date: readWaitUntilDate,
  add_tag: (config) => ({ type: 'add_tag', tag: config.tag('tag') }),
  remove_tag: (config) => ({ type: 'remove_tag', tag: config.tag('tag') }),
  add_audience: (config) => ({
    type: 'add_audience',
    audienceId: config.uuid('audience_id'),
    wordingVersion: config.text('wording_version', nameCharsMax),
    source: config.text('source', nameCharsMax),
  }),
  remove_audience: (config) => ({ type: 'remove_audience', audienceId: config.uuid('audience_id') }),
  update_contact_field: readFieldUpdate,
  adjust_score: (config) => ({ type: 'adjust_score', amount: config.integer('amount', -amountMax, amountMax) }),
  decision: () => ({ type: 'decision' }),
  end: () => ({ type: 'end' }),
}

export const nodeTypes = Object.keys(readers) as NodeWork['type'][]

/** Reads `{key, type, config}`. The result is usable only if no problem was added. */
export function readNode(given: JsonValue | undefined, path: string, problems: string[]): AutomationNode {
  const node = configReader(given, path, problems)
  const key = node.text('key', keyCharsMax)
  const named = node.take('type')
  const type = nodeTypes.find((known) => known === named)
  if (type === undefined) problems.push(`${path}.type must be one of ${nodeTypes.join(', ')}.`)
  const config = configReader(node.take('config'), `${path}.config`, problems)
  const work: NodeWork = type === undefined ? { type: 'end' } : readers[type](config)
  if (type !== undefined) config.refuseOthers()
  node.refuseOthers()
  return { key, ...work }
}

function readWaitUntilDate(config: ConfigReader): NodeWork {
  if (config.has('at') === config.has('field')) {
    config.take('at')
    config.take('field')
    config.problems.push(`${config.path} must have either at or field.`)
    return { type: 'wait_until_date', until: { at: '' } }
  }
  if (config.has('field')) return { type: 'wait_until_date', until: { field: config.contactField('field') } }
  const at = config.text('at', nameCharsMax)
  if (at !== '' && !isDateTime(at))
    config.problems.push(`${config.path}.at must be a date and time with an offset, for instance 2027-01-31T09:00:00Z.`)
  return { type: 'wait_until_date', until: { at } }
}

/** Null clears the field. Whether the value fits the type of the field is checked with the fields of the workspace. */
function readFieldUpdate(config: ConfigReader): NodeWork {
  const field = config.contactField('field')
  const value = config.take('value')
  if (field === 'email')
    config.problems.push(`${config.path}.field must not be email: an automation changes no address.`)
  if (value === undefined) config.problems.push(`${config.path}.value is required.`)
  else if (!isFieldValue(value))
    config.problems.push(
      `${config.path}.value must be a text, a number, true, false, null or a list of texts, with at most ${valueCharsMax} characters.`,
    )
  return { type: 'update_contact_field', field, value: value ?? null }
}

function isFieldValue(value: JsonValue): boolean {
  const isKnown = Array.isArray(value) ? value.every((item) => typeof item === 'string') : typeof value !== 'object'
  return (isKnown || value === null) && JSON.stringify(value).length <= valueCharsMax && !hasNul(value)
}

const hasNul = (value: JsonValue) => JSON.stringify(value).includes('\\u0000')
