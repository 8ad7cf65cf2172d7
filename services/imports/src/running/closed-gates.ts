import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { sendingGates, type SendingGate } from './open-gates.ts'
import { isOutage, patientCall } from './patient-call.ts'
import { readOpenGates } from './read-open-gates.ts'

/** Email could leave this workspace, so nothing is applied. `gate` names what is open; `unreadable` when nobody can tell. */
export class GateOpen extends Fault {
  readonly gate: SendingGate | 'unreadable'

  constructor(gate: SendingGate | 'unreadable', message: string, options?: { cause?: unknown }) {
    super('failed_precondition', 'gate_open', message, options)
    this.gate = gate
  }
}

const listed = new Intl.ListFormat('en-GB')

const sentence = (open: readonly SendingGate[]) =>
  `Imports are approved and applied only while nothing can send, but ${listed.format(
    open.map((gate) => `${sendingGates[gate]} (${gate})`),
  )}. Close ${open.length === 1 ? 'it' : 'them'} first, then try again.`

/** Throws GateOpen if any gate is open now. */
export async function requireClosedGates(ctx: Ctx): Promise<void> {
  const open = await readOpenGates(ctx)
  if (open.length > 0) throw new GateOpen(open[0]!, sentence(open))
}

/** The same for a worker, which waits half a minute for an answer. A gate that nobody can read then counts as open. */
export async function requireClosedGatesPatiently(ctx: Ctx): Promise<void> {
  try {
    await patientCall(ctx, () => requireClosedGates(ctx))
  } catch (error) {
    if (!isOutage(error)) throw error
    throw new GateOpen(
      'unreadable',
      'The state of the gates could not be read, so nothing more was applied. Retry the import.',
      { cause: error },
    )
  }
}
