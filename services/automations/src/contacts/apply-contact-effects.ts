import { fromJson } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import type { AppliedAutomationStep } from '@lettergate/contracts/contacts/v1/automation_steps'
import type { CallScope } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import type { NodeWork } from '../definition/definition.ts'
import { inSets } from './in-sets.ts'

type EffectType =
  'add_tag' | 'remove_tag' | 'add_audience' | 'remove_audience' | 'update_contact_field' | 'adjust_score'

/** A node that changes the contact and nothing else. */
export type EffectNode = Extract<NodeWork, { type: EffectType }>

/** The step of an enrollment at such a node. */
export interface EffectStep {
  readonly stepId: string
  readonly enrollmentId: string
  readonly automationId: string
  readonly contactId: string
  readonly node: EffectNode
}

/** `applied`, `unchanged` or `refused` with its reasons. */
export type EffectResult = Pick<AppliedAutomationStep, 'outcome' | 'reasons'>

/**
 * Applies the steps, and answers the result of each by its step id. A repeat with the same step id answers the first result and
 * changes nothing, so a caller that was interrupted calls again.
 */
export async function applyContactEffects(
  ctx: Pick<Ctx, 'contacts'> & CallScope,
  steps: readonly EffectStep[],
): Promise<Map<string, EffectResult>> {
  const results = new Map<string, EffectResult>()
  for (const set of inSets(steps)) {
    const answer = await ctx.contacts.applyAutomationSteps(ctx, {
      steps: set.map(({ node, ...ids }) => ({ ...ids, effect: effectOf(node) })),
    })
    for (const { stepId, outcome, reasons } of answer.steps) results.set(stepId, { outcome, reasons })
  }
  return results
}

function effectOf(node: EffectNode) {
  switch (node.type) {
    case 'add_tag':
      return { case: 'addTag', value: { tag: node.tag } } as const
    case 'remove_tag':
      return { case: 'removeTag', value: { tag: node.tag } } as const
    case 'add_audience': {
      const { audienceId, wordingVersion, source } = node
      return { case: 'addAudience', value: { audienceId, wordingVersion, source } } as const
    }
    case 'remove_audience':
      return { case: 'removeAudience', value: { audienceId: node.audienceId } } as const
    case 'update_contact_field':
      return {
        case: 'updateField',
        value: { field: node.field, value: fromJson(ValueSchema, node.value) },
      } as const
    case 'adjust_score':
      return { case: 'adjustScore', value: { amount: node.amount } } as const
  }
}
