import { create, fromJson, type MessageInitShape } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import {
  ApplyAutomationStepsRequestSchema,
  type ApplyAutomationStepsRequest,
  type AutomationStep,
} from '@lettergate/contracts/contacts/v1/automation_steps'
import { parseSteps } from './parse-steps.ts'

const id = (n: number) => `0199A3C4-F0A4-7B0F-9A89-${String(n).padStart(12, '0')}`
const lower = (n: number) => id(n).toLowerCase()
type Sent = NonNullable<MessageInitShape<typeof ApplyAutomationStepsRequestSchema>['steps']>[number]
const request = (steps: Sent[]): ApplyAutomationStepsRequest => create(ApplyAutomationStepsRequestSchema, { steps })
const step = (effect: Sent['effect'] | AutomationStep['effect'], n = 1): Sent => ({
  stepId: id(n),
  enrollmentId: id(100),
  automationId: id(200),
  contactId: id(300),
  effect: effect as NonNullable<Sent['effect']>,
})

test('ids are read in either case, and effects with their values', () => {
  const steps = parseSteps(
    request([
      step({ case: 'addTag', value: { tag: ' vip ' } }, 1),
      step({ case: 'removeTag', value: { tag: 'vip' } }, 2),
      step({ case: 'addAudience', value: { audienceId: id(400), wordingVersion: 'v1', source: 'welcome' } }, 3),
      step({ case: 'removeAudience', value: { audienceId: id(400) } }, 4),
      step({ case: 'adjustScore', value: { amount: -3 } }, 5),
    ]),
  )
  expect(steps[0]).toMatchObject({
    stepId: lower(1),
    enrollmentId: lower(100),
    automationId: lower(200),
    contactId: lower(300),
  })
  expect(steps.map(({ effect }) => effect)).toEqual([
    { type: 'add_tag', tag: 'vip' },
    { type: 'remove_tag', tag: 'vip' },
    { type: 'add_audience', audienceId: lower(400), wordingVersion: 'v1', source: 'welcome' },
    { type: 'remove_audience', audienceId: lower(400) },
    { type: 'adjust_score', amount: -3 },
  ])
})

test.each(['a', 2.5, false, null, ['a']])('the value %j of a field is read as it is', (value) => {
  const effect = { case: 'updateField', value: { field: 'custom.a', value: fromJson(ValueSchema, value) } } as const
  expect(parseSteps(request([step(effect)]))[0]!.effect).toEqual({ type: 'update_field', field: 'custom.a', value })
})

test('an update without a value clears the field', () => {
  const [parsed] = parseSteps(request([step({ case: 'updateField', value: { field: 'phone' } })]))
  expect(parsed!.effect).toEqual({ type: 'update_field', field: 'phone', value: null })
})

test('a step without an effect, and two steps with one id, are refused with the field', () => {
  expect(() => parseSteps(request([step({ case: undefined })]))).toThrow(
    expect.objectContaining({ code: 'invalid_argument', reason: 'effect' }),
  )
  const adjust = { case: 'adjustScore', value: { amount: 1 } } as const
  expect(() => parseSteps(request([step(adjust), { ...step(adjust), stepId: lower(1) }]))).toThrow(
    expect.objectContaining({ code: 'invalid_argument', reason: 'step_id' }),
  )
})
