import { Fault } from '@lettergate/fault'
import type { CallScope } from '@lettergate/service'
import type { Plan } from './plan.ts'

type Protected = Pick<Plan, 'method' | 'safetyClass' | 'ownership'>

const changes = ({ method }: Protected) => method !== 'GET' && method !== 'HEAD'

/** Operations that send, activate or need ownership: every refusal of them is audited, also by a gate or a wrong state. */
const isProtected = ({ safetyClass, ownership }: Protected) =>
  ownership !== undefined || (safetyClass !== 'database-only' && safetyClass !== 'external checks')

/** Whether a refusal belongs in the audit log: a missing right for any change, and every precondition of a protected operation. */
export function isAudited(plan: Protected, error: unknown): error is Fault {
  if (!(error instanceof Fault) || !changes(plan)) return false
  if (error.code === 'permission_denied') return true
  return isProtected(plan) && (error.code === 'failed_precondition' || error.reason === 'confirmation')
}

/** Records the refusal, if it belongs in the audit log. Never throws: the caller gets the refusal itself. */
export type Refusals = (
  plan: Plan,
  scope: CallScope,
  params: Readonly<Record<string, string>>,
  error: unknown,
) => Promise<void>
