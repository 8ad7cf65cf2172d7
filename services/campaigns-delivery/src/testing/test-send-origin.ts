import type { HandOffOrigin } from '../delivery/origin.ts'
import { reconcileRehearsals } from './reconcile-rehearsals.ts'

/** A test send is tried once; a rehearsal follows what became of it. */
export const testSendOrigin: HandOffOrigin = {
  isTriedAgain: false,
  endOf: async (_em, _handOff, reason) => ({ end: 'failed', reasons: [reason] }),
  settled: (em, workspaceId, testSendId) => reconcileRehearsals(em, workspaceId, [testSendId]),
}
