import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, type Em } from '@lettergate/database'
import type { AutomationRow } from './automation.entity.ts'

/** A time during which an automation was published, with its trigger then. Triggers of the database write it. */
export const AutomationPublication = defineEntity({
  name: 'AutomationPublication',
  tableName: 'automation_publications',
  properties: {
    workspaceId: p.uuid().primary(),
    automationId: p.uuid().primary(),
    publishedAt: p.datetime().primary(),
    endedAt: p.datetime().nullable(),
    triggerType: p.text(),
    triggerSubjectId: p.uuid().nullable(),
  },
})

/** Answers whether an automation was published with its present trigger at a time, for times since then. */
export async function publicationsSince(
  em: Em,
  workspaceId: string,
  { automations, since }: { automations: readonly AutomationRow[]; since: Date },
): Promise<(automation: AutomationRow, at: Date) => boolean> {
  const found = await kyselyOf(em, AutomationPublication)
    .selectFrom('automation_publications')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('automation_id', '=', (eb) => eb.fn.any(eb.val(automations.map(({ id }) => id))))
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', since.toISOString())]))
    .execute()
  const times = Map.groupBy(found, (one) => keyOf(one.automation_id, one.trigger_type, one.trigger_subject_id))
  return ({ id, trigger_type: type, trigger_subject_id: subject }, at) =>
    (times.get(keyOf(id, type, subject)) ?? []).some(
      ({ published_at: from, ended_at: until }) => at >= new Date(from) && (until === null || at < new Date(until)),
    )
}

const keyOf = (automationId: string, type: string | null, subjectId: string | null) =>
  `${automationId} ${type} ${subjectId}`
