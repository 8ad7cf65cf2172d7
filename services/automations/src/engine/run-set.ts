import { openSpan } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import type { ClaimedSet } from './claim.ts'
import { doSteps } from './do-steps.ts'
import type { EngineMetrics } from './metrics.ts'
import type { EnrolledContact } from './enrolled-contact.ts'
import { settleSteps } from './settle.ts'

/** How many nodes a contact passes at most before others have their turn. */
const roundsMax = 10

/**
 * Does the steps of a set until every contact waits, has ended or is stopped, at most ten each; the rest is due again. Each round is
 * stored before the next one begins.
 */
export async function runSet(
  ctx: Ctx,
  claim: ClaimedSet,
  { metrics, mayGoOn }: { metrics: EngineMetrics; mayGoOn: () => Promise<boolean> },
): Promise<void> {
  let people: readonly EnrolledContact[] = claim.people
  for (let round = 1; people.length > 0; round += 1) {
    const spans = new Map(people.map((person) => [person.step_id, openStepSpan(person)]))
    let failure: unknown
    try {
      const traceOf = (person: EnrolledContact) => spans.get(person.step_id)!.carrier
      const results = await doSteps(ctx, people, { traceOf, mayGoOn })
      const goesOn = round < roundsMax && (await mayGoOn())
      const { leaseSeconds, now } = { leaseSeconds: ctx.config.leaseSeconds, now: ctx.now() }
      const { going, finished } = await ctx.tx((em) => settleSteps(em, { claim, results, now, leaseSeconds, goesOn }))
      people = going
      for (const { person, step } of finished) {
        metrics.steps.inc({ node_type: step.nodeType, outcome: step.outcome })
        const open = spans.get(person.step_id) ?? openStepSpan(person)
        spans.set(person.step_id, open)
        open.span.setAttributes({ 'lettergate.node.type': step.nodeType, 'lettergate.step.outcome': step.outcome })
      }
    } catch (error) {
      failure = error
      throw error
    } finally {
      for (const open of spans.values()) open.end(failure)
    }
  }
}

/** In the trace of the trigger. */
const openStepSpan = (person: EnrolledContact) =>
  openSpan('step of automation', {
    parent: person.trace,
    attributes: {
      'lettergate.enrollment.id': person.enrollment_id,
      'lettergate.step.id': person.step_id,
      'lettergate.node.key': person.node_key,
    },
  })
