import type { ApplyAutomationStepsRequest, AutomationStep } from '@lettergate/contracts/contacts/v1/automation_steps'
import { toJson } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { Fault } from '@lettergate/fault'
import { requiredText } from '@lettergate/values/text'
import { bodyId } from '../values/ids.ts'
import type { StepEffect } from './decide-step.ts'

export const setMax = 200

/** One step of an automation for one contact. */
export interface ContactStep {
  readonly stepId: string
  readonly enrollmentId: string
  readonly automationId: string
  readonly contactId: string
  readonly effect: StepEffect
}

/** The steps of a request, each id once. Throws Fault `invalid_argument` with the field. */
export function parseSteps(req: ApplyAutomationStepsRequest): ContactStep[] {
  if (req.steps.length > setMax)
    throw new Fault('invalid_argument', 'steps', `steps: at most ${setMax} in a call. Send fewer.`)
  const steps = req.steps.map((step) => ({
    stepId: bodyId('step_id', step.stepId),
    enrollmentId: bodyId('enrollment_id', step.enrollmentId),
    automationId: bodyId('automation_id', step.automationId),
    contactId: bodyId('contact_id', step.contactId),
    effect: effectOf(step.effect),
  }))
  if (new Set(steps.map(({ stepId }) => stepId)).size < steps.length)
    throw new Fault('invalid_argument', 'step_id', 'step_id: two steps have the same id. Send each step once.')
  return steps
}

function effectOf({ case: type, value }: AutomationStep['effect']): StepEffect {
  switch (type) {
    case 'addTag':
      return { type: 'add_tag', tag: value.tag.trim() }
    case 'removeTag':
      return { type: 'remove_tag', tag: value.tag.trim() }
    case 'addAudience':
      return {
        type: 'add_audience',
        audienceId: bodyId('audience_id', value.audienceId),
        wordingVersion: requiredText('wording_version', value.wordingVersion),
        source: requiredText('source', value.source),
      }
    case 'removeAudience':
      return { type: 'remove_audience', audienceId: bodyId('audience_id', value.audienceId) }
    case 'updateField':
      return {
        type: 'update_field',
        field: value.field,
        value: value.value === undefined ? null : toJson(ValueSchema, value.value),
      }
    case 'adjustScore':
      return { type: 'adjust_score', amount: value.amount }
    case undefined:
      throw new Fault('invalid_argument', 'effect', 'effect is required: a step without one does nothing.')
  }
}
