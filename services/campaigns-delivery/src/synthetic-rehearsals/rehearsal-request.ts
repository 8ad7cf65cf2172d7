import { sha256Of } from '@lettergate/canonical-json'
import type { CreateSyntheticRehearsalRequest } from '@lettergate/contracts/campaigns/v1/synthetic_rehearsals'
import { Fault } from '@lettergate/fault'
import type { GateState } from '../gates/gate-state.ts'
import type { KeyedRequest } from '../idempotency/idempotency-key.entity.ts'

/** The platform gate of synthetic rehearsals. */
export const syntheticGate = 'synthetic_rehearsals_enabled'

const recipients = { min: 100, max: 10_000, default: 1_000 }
const keyChars = { min: 12, max: 200 }

export interface RehearsalRequest extends KeyedRequest {
  recipientCount: number
}

const invalid = (field: string, message: string) => new Fault('invalid_argument', field, message)

/** Parses the request. Fault `invalid_argument` with the field. */
export function parseRehearsal(req: CreateSyntheticRehearsalRequest): RehearsalRequest {
  const { idempotencyKey: key, confirmation, recipientCount = recipients.default } = req
  if (key.length < keyChars.min || key.length > keyChars.max)
    throw invalid('idempotency_key', `idempotency_key must have ${keyChars.min} to ${keyChars.max} characters.`)
  if (recipientCount < recipients.min || recipientCount > recipients.max)
    throw invalid('recipient_count', `recipient_count must be ${recipients.min} to ${recipients.max}.`)
  const expected = `RUN ${recipientCount} SYNTHETIC REHEARSAL`
  if (confirmation !== expected) throw invalid('confirmation', `confirmation must be exactly ${expected}.`)
  return {
    operation: 'synthetic_rehearsal',
    key,
    fingerprint: sha256Of({ recipient_count: recipientCount }),
    recipientCount,
  }
}

/** Fault `failed_precondition` unless the gate of synthetic rehearsals is open. */
export function requireSyntheticGate(state: GateState): void {
  if (state === 'below_ceiling')
    throw new Fault(
      'failed_precondition',
      'synthetic_rehearsals_ceiling',
      'Synthetic rehearsals are closed in this deployment: its environment does not set SYNTHETIC_REHEARSALS_ENABLED. Ask its operator to set it to true.',
    )
  if (state === 'switched_off')
    throw new Fault(
      'failed_precondition',
      'synthetic_rehearsals_switch',
      'The platform gate synthetic_rehearsals_enabled is closed. Ask a platform owner or administrator to open it.',
    )
}
