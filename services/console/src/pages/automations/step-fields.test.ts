import { describe, expect, test } from '@jest/globals'
import type { AutomationNode } from '@lettergate/client'
import { configOfStep, fieldsOfStep, firstConfig, nodeTypes, valueOfField, type StepChoices } from './step-fields.ts'

const choices: StepChoices = {
  senders: [{ value: 's1', label: 'Acme' }],
  audiences: [{ value: 'a1', label: 'Weekly' }],
  tags: [{ value: 'vip', label: 'vip' }],
  fields: [{ value: 'custom.size', label: 'Size' }],
  fieldTypes: { 'custom.size': 'integer' },
  names: { s0: 'Old sender' },
}

type Step = Pick<AutomationNode, 'type' | 'config'>

/** The configuration after the inputs of a step were filled, and left as they are. */
const roundTrip = (step: Step, changed: Record<string, unknown> = {}) => {
  const fields = fieldsOfStep(step, choices)
  const values = Object.fromEntries(Object.entries(fields).map(([name, { initial }]) => [name, initial]))
  return configOfStep(step, { ...values, ...changed }, choices.fieldTypes)
}

describe('the inputs of a step', () => {
  const steps: Step[] = [
    { type: 'send_email', config: { content_version_id: 'c1', sender_identity_id: 's1' } },
    { type: 'wait_duration', config: { seconds: 5_400 } },
    { type: 'wait_until_date', config: { at: '2027-01-31T09:00:00Z' } },
    { type: 'wait_until_date', config: { field: 'custom.birthday' } },
    { type: 'add_tag', config: { tag: 'vip' } },
    { type: 'remove_tag', config: { tag: 'gone' } },
    { type: 'add_audience', config: { audience_id: 'a1', wording_version: 'w', source: 'automation' } },
    { type: 'remove_audience', config: { audience_id: 'a2' } },
    { type: 'update_contact_field', config: { field: 'custom.size', value: 42 } },
    { type: 'update_contact_field', config: { field: 'custom.kinds', value: ['a', 'b'] } },
    { type: 'update_contact_field', config: { field: 'company', value: null } },
    { type: 'adjust_score', config: { amount: -5 } },
    { type: 'decision', config: {} },
    { type: 'end', config: {} },
  ]
  test.each(steps)('keep a step that nobody changes: $type $config', (step) => {
    const unknown = { ...step, config: { ...step.config, kept: { by: 'everyone' } } }
    expect(roundTrip(unknown)).toEqual(unknown.config)
  })

  test('every type of step has inputs or needs none', () => {
    expect(new Set(nodeTypes.map(({ value }) => value))).toEqual(new Set(steps.map(({ type }) => type)))
    for (const { value: type } of nodeTypes)
      expect(fieldsOfStep({ type, config: firstConfig(type) }, choices)).toBeDefined()
  })

  test('offer the largest unit of a wait', () => {
    const { amount, unit } = fieldsOfStep({ type: 'wait_duration', config: { seconds: 7_200 } }, choices)
    expect([amount!.initial, unit!.initial]).toEqual(['2', '3600'])
    expect(roundTrip({ type: 'wait_duration', config: firstConfig('wait_duration') }, { amount: '3' })).toEqual({
      seconds: 259_200,
    })
  })

  test('offer a present value that is not in the list any more', () => {
    const { tag } = fieldsOfStep({ type: 'add_tag', config: { tag: 'gone' } }, choices)
    expect(tag!.choices).toContainEqual({ value: 'gone', label: 'gone (as it is)' })
    const email = fieldsOfStep({ type: 'send_email', config: { sender_identity_id: 's0' } }, choices)
    expect(email['sender_identity_id']!.choices).toContainEqual({ value: 's0', label: 'Old sender (as it is)' })
    expect(fieldsOfStep({ type: 'add_tag', config: {} }, choices)['tag']!.choices).toEqual(choices.tags)
  })

  test('give a changed value the type of its field', () => {
    const step: Step = { type: 'update_contact_field', config: { field: 'custom.size', value: 42 } }
    expect(roundTrip(step, { value: '43' })).toEqual({ field: 'custom.size', value: 43 })
    expect(roundTrip(step, { value: '' })).toEqual({ field: 'custom.size', value: null })
    expect(roundTrip(step, { field: 'company' })).toEqual({ field: 'company', value: '42' })
  })
})

test.each([
  ['7', 'integer', 7],
  ['7.5', 'decimal', 7.5],
  ['seven', 'integer', 'seven'],
  ['true', 'boolean', true],
  ['false', 'boolean', false],
  ['maybe', 'boolean', 'maybe'],
  ['a, b', 'multiple_choice', ['a', 'b']],
  ['7', undefined, '7'],
  ['', 'integer', null],
])('%j as a value of a field of the type %s', (typed, type, value) => {
  expect(valueOfField(typed, type)).toEqual(value)
})
