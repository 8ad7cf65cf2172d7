import { newId } from '@lettergate/database'
import type { Conditions } from '@lettergate/rpc'
import type { Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { storeAlerts, type Raised } from './store-alerts.ts'

/** The conditions of this process, asked like those of another service. */
export const here = (service: Service): Conditions => ({
  meets: (condition) =>
    service.conditions.get(condition)!().then(
      () => true,
      () => false,
    ),
})

/**
 * Raises an alert for each service whose events wait for more than five minutes, and ends it when they are published. The
 * alert is stored directly, because a stuck outbox publishes no alert either. A service that does not answer keeps the
 * alert that it has. Any number of replicas may run it.
 */
export async function watchOutboxes(ctx: Ctx, services: Readonly<Record<string, Conditions>>): Promise<void> {
  const answers = Object.entries(services).map(async ([service, conditions]): Promise<Raised[]> => {
    try {
      const raised = { id: newId(), workspaceId: null, time: ctx.now(), code: 'outbox_stuck', about: service }
      if (await conditions.meets('outbox')) return [{ ...raised, isOver: true }]
      const summary = `Events of ${service} wait for more than five minutes and are not published`
      return [{ ...raised, severity: 'critical', summary, detail: { service } }]
    } catch (error) {
      ctx.log.warn({ service, err: error }, 'the outbox of a service cannot be checked')
      return []
    }
  })
  const found = (await Promise.all(answers)).flat()
  await ctx.tx((em) => storeAlerts(ctx, em, found))
}
