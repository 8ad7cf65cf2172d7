import type { HandOffOrigin } from '../delivery/origin.ts'
import { reconcileRehearsals } from './reconcile-rehearsals.ts'

/** A test send is tried once. Its rehearsal is updated with the result. */
export const testSendOrigin: HandOffOrigin = {
  isTriedAgain: false,
  endOf: async (_em, _handOff, reason) => ({ end: 'failed', reasons: [reason] }),
  async pendingAgain() {
    throw new Error('a test send that did not happen has failed')
  },
  settled: (em, workspaceId, testSendId) => reconcileRehearsals(em, workspaceId, [testSendId]),
}
