import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { column, prepared, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { bounceFacts, type FactName } from '../messages/outcome.ts'
import { judgeRun, type BreakerLimits } from '../runs/run-breaker.ts'

/** An automation is judged by its newest facts: those of one to two thousand messages. */
const newestFacts = 5_000
const alertLastsSeconds = 86_400
const judgedFacts: readonly FactName[] = [...bounceFacts, 'complained']
const nothing = { settled: 0, complained: 0, hard_bounced: 0 }

const countNewest = statement('count-newest-outcomes-of-automation', {
  settled: column.integer(),
  complained: column.integer(),
  hard_bounced: column.integer(),
})

/**
 * Raises an alert for each automation of these facts whose newest messages exceed a limit of the run breaker. The automation goes
 * on: a person decides. The alert ends a day after the last bounce or complaint that found the limit exceeded. Call it after the
 * facts are stored. Messages are newest by their id, which is that of the step.
 */
export async function alertAutomationRates(
  em: Em,
  workspaceId: string,
  { facts, limits }: { facts: Iterable<{ automationId: string; fact: FactName }>; limits: BreakerLimits },
): Promise<void> {
  const automationIds = new Set<string>()
  for (const { automationId, fact } of facts) if (judgedFacts.includes(fact)) automationIds.add(automationId)
  for (const automationId of automationIds) {
    const newest = await countNewest.row(
      em,
      prepared(sql`with newest as (
          select message_id, fact from message_facts
           where workspace_id = ${workspaceId} and origin_id = ${automationId} and fact not in ('skipped', 'failed')
           order by message_id desc, fact desc, at desc limit ${newestFacts}),
        messages as (select array_agg(fact) as facts from newest group by message_id)
        select (count(*) filter (where message_outcome(facts) in ('delivered', 'hard_bounced')))::int as settled,
               (count(*) filter (where 'complained' = any(facts)))::int as complained,
               (count(*) filter (where message_outcome(facts) = 'hard_bounced'))::int as hard_bounced
          from messages`),
    )
    const why = judgeRun(newest!, nothing, limits)
    if (!why) continue
    await publish(em, AlertRaisedSchema, {
      code: 'automation_rates_exceeded',
      severity: 'critical',
      summary:
        'Too many of the newest recipients of an automation complained or bounced. It goes on: pause it at the console, or correct its content or its audience.',
      about: automationId,
      lastsSeconds: alertLastsSeconds,
      detail: { automation_id: automationId, ...why },
    })
  }
}
