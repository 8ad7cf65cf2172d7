import type { Database } from '@lettergate/database'
import { consume, type Bus } from '@lettergate/events'
import type { Caller, Service } from '@lettergate/service'
import { oneByOne, type OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import type { DeliveryDeps } from '../delivery/deliver-batches.ts'
import type { WaitingWork } from '../waiting-work.ts'
import { dueConfirmations, takeDueConfirmations } from './confirmation-email.entity.ts'
import { onSignupConfirmationRequested } from './on-signup-confirmation-requested.ts'
import { sendConfirmation } from './send-confirmation.ts'

interface Parts {
  db: Database
  bus: Bus
  work: WaitingWork
  delivery: DeliveryDeps
  ctx: { ofEvent: (caller: Caller) => Ctx; ofSystem: (job: string) => Ctx }
}

/** Emails that one worker takes at a time, and sends at once. */
const takenAtOnce = 50
const sentAtOnce = 5

/** Starts the sending of confirmation emails in the worker role. */
export async function startConfirmations(service: Service, { db, bus, ctx, work, delivery }: Parts): Promise<void> {
  const each = oneByOne(service, 'send-confirmations')
  await service.use(
    work.job('send-confirmations', {
      everyMs: 500,
      waiting: dueConfirmations,
      run: () => sendDue(ctx.ofSystem('send-confirmations'), delivery, each),
    }),
  )
  await service.use(consume(service, { bus, db, consumer: onSignupConfirmationRequested, ctxOf: ctx.ofEvent }))
}

async function sendDue(ctx: Ctx, delivery: DeliveryDeps, each: OneByOne): Promise<void> {
  const due = await ctx.tx((em) => takeDueConfirmations(em, takenAtOnce))
  const lanes = Array.from({ length: sentAtOnce }, (_, lane) => due.filter((_email, at) => at % sentAtOnce === lane))
  await Promise.all(
    lanes.map((lane) =>
      each.forEach(lane, (email) => sendConfirmation(ctx.inWorkspace(email.workspace_id), delivery, email)),
    ),
  )
}
