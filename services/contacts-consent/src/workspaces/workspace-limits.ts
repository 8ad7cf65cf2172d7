import { Fault } from '@lettergate/fault'

/** The maximum number of each in one workspace, because each is answered as one list. The triggers of migration 6 enforce it. */
export const workspaceLimits = { audiences: 1_000, tags: 10_000, subscription_sources: 200, field_definitions: 500 }

export type LimitedTable = keyof typeof workspaceLimits

const limitMessages: Record<LimitedTable, { reason: string; noun: string; remedy: string }> = {
  audiences: {
    reason: 'audiences',
    noun: 'audiences, archived ones included',
    remedy: 'Delete one that nothing needs.',
  },
  tags: { reason: 'tags', noun: 'tags', remedy: 'Use one that is there, or merge some that mean the same.' },
  subscription_sources: {
    reason: 'subscription_sources',
    noun: 'subscription sources',
    remedy: 'Use one that is there; a source can have many origins and audiences.',
  },
  field_definitions: { reason: 'field_key', noun: 'custom fields', remedy: 'Use one that is there.' },
}

/** The Fault for exceeding a limit. */
export function limitFault(table: LimitedTable): Fault {
  const { reason, noun, remedy } = limitMessages[table]
  const most = workspaceLimits[table]
  return new Fault(
    'failed_precondition',
    reason,
    `${reason}: a workspace has at most ${most} ${noun}, and this one has them. ${remedy}`,
  )
}
