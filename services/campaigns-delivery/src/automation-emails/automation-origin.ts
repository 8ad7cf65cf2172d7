import type { HandOffOrigin } from '../delivery/origin.ts'
import { markSingle } from './automation-email.entity.ts'

/** The message of a step waits after a hand-off that did not happen, until automations asks for it again. */
export const automationOrigin: HandOffOrigin = {
  isTriedAgain: true,
  endOf: async () => undefined,
  async pendingAgain(em, { workspaceId, messages }, { isSingles }) {
    if (!isSingles) return
    await markSingle(
      em,
      workspaceId,
      messages.map(({ id }) => id),
    )
  },
  settled: async () => undefined,
}
