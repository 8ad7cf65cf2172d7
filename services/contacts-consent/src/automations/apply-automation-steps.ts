import type {
  ApplyAutomationStepsRequest,
  ApplyAutomationStepsResponseSchema,
} from '@lettergate/contracts/contacts/v1/automation_steps'
import type { Em } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import type { Ctx } from '../ctx.ts'
import { appendReceipts, findReceipts, type StepOutcome } from '../contacts/automation-step-receipt.entity.ts'
import { readContactStates } from './contact-states.ts'
import { decideStep, type ContactState, type KnownObjects } from './decide-step.ts'
import { holdKnownObjects } from './known-objects.ts'
import { parseSteps, type ContactStep } from './parse-steps.ts'
import { writeStepEffects } from './write-step-effects.ts'

interface StepResult {
  readonly outcome: StepOutcome
  readonly reasons: readonly string[]
}

/** Erased and deleted contacts do not come back under their id, so this needs no receipt. */
const contactMissing: StepResult = { outcome: 'refused', reasons: ['contact_missing'] }

/**
 * Applies the effects of automations on contacts in one transaction, in the order of the steps, each step once: a step with a
 * receipt answers its first outcome and changes nothing. Fires no trigger. A refused step does not affect the others.
 */
export async function applyAutomationSteps(
  ctx: Ctx,
  req: ApplyAutomationStepsRequest,
): Promise<Reply<typeof ApplyAutomationStepsResponseSchema>> {
  const steps = parseSteps(req)
  const results = steps.length === 0 ? new Map<string, StepResult>() : await ctx.tx((em) => applyAll(em, ctx, steps))
  return {
    steps: steps.map(({ stepId }) => {
      const { outcome, reasons } = results.get(stepId) ?? contactMissing
      return { stepId, outcome, reasons: [...reasons] }
    }),
  }
}

async function applyAll(em: Em, ctx: Ctx, steps: readonly ContactStep[]): Promise<Map<string, StepResult>> {
  const { workspaceId, caller: by } = ctx
  const known = await holdKnownObjects(em, workspaceId, steps)
  const contacts = await lockContacts(em, workspaceId, [...new Set(steps.map(({ contactId }) => contactId))])
  const possible = steps.filter(({ contactId }) => contacts.has(contactId))
  // After the locks: a concurrent copy of a step has committed, or waits for this one.
  const earlier = await findReceipts(em, workspaceId, possible)
  const results = new Map<string, StepResult>(earlier.map((one) => [one.step_id, one]))
  const fresh = possible.filter(({ stepId }) => !results.has(stepId))

  const before = await readContactStates(em, workspaceId, fresh)
  const { after, decided } = decideAll(before, fresh, known)
  const changed = [...after].map(([contactId, state]) => ({ contactId, before: before.get(contactId)!, after: state }))
  const applied = fresh.filter(({ stepId }) => decided.get(stepId)!.outcome === 'applied')
  await writeStepEffects(em, { workspaceId, by }, changed, applied)
  await appendReceipts(
    em,
    workspaceId,
    fresh.map(({ contactId, stepId }) => ({ contactId, stepId, ...decided.get(stepId)! })),
  )
  return new Map([...results, ...decided])
}

/** Decides the steps one after another, each on its contact as the earlier ones leave it. */
function decideAll(before: ReadonlyMap<string, ContactState>, steps: readonly ContactStep[], known: KnownObjects) {
  const after = new Map(before)
  const decided = new Map<string, StepResult>()
  for (const { stepId, contactId, effect } of steps) {
    const { contact, ...result } = decideStep(after.get(contactId)!, effect, known)
    after.set(contactId, contact)
    decided.set(stepId, result)
  }
  return { after, decided }
}
