import type {
  AudienceVerdicts,
  PreparedRecipient,
  PrepareRecipientsResponse,
  RehearsedStage,
} from '@lettergate/contracts/contacts/v1/contacts'
import type { Ctx } from '../ctx.ts'
import type { TakenRehearsal } from './synthetic-rehearsal.entity.ts'

/** What contacts-consent answered about the synthetic recipients, which it has rolled back since. */
export interface SyntheticRecipients {
  audienceId: string
  verdicts: AudienceVerdicts[]
  prepared: ReadonlyMap<string, PreparedRecipient>
  linkBases: PrepareRecipientsResponse['linkBases']
  stages: RehearsedStage[]
}

const timeoutMs = 300_000

/** Has contacts-consent write, judge and prepare the synthetic recipients. */
export async function askForRecipients(
  ctx: Ctx,
  { id, recipient_count: recipientCount }: TakenRehearsal,
  { batchSize, tokens }: { batchSize: number; tokens: string[] },
): Promise<SyntheticRecipients> {
  const verdicts: AudienceVerdicts[] = []
  const prepared = new Map<string, PreparedRecipient>()
  let linkBases: PrepareRecipientsResponse['linkBases']
  let stages: RehearsedStage[] | undefined
  const request = { rehearsalId: id, recipientCount, batchSize, tokens }
  for await (const { part } of ctx.contacts.rehearseRecipients(ctx, request, { timeoutMs })) {
    if (part.case === 'verdicts') verdicts.push(part.value)
    if (part.case === 'stages') ({ stages } = part.value)
    if (part.case !== 'prepared') continue
    for (const one of part.value.recipients) prepared.set(one.contactId, one)
    ;({ linkBases } = part.value)
  }
  ctx.signal.throwIfAborted()
  if (!stages) throw new Error('contacts-consent answered only a part of the synthetic recipients')
  const audienceId = verdicts.flatMap(({ eligible }) => eligible)[0]!.audienceId
  return { audienceId, verdicts, prepared, linkBases, stages }
}
