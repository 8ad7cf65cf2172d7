import type { PreparedRecipient } from '@lettergate/contracts/contacts/v1/contacts'
import type { LinkBases } from '@lettergate/contracts/contacts/v1/preference_links'
import type { Ctx } from '../ctx.ts'
import { requestVerdicts } from '../delivery/verdicts.ts'
import type { StepEmail } from './email-input.ts'

/** An email with the first audience for which its contact is eligible, or with every reason against all candidates. */
export interface JudgedEmail {
  email: StepEmail
  audienceId: string | null
  prepared: PreparedRecipient | undefined
  reasons: string[]
}

/**
 * Asks contacts-consent about the first candidate of every email, and then about the other candidates of those that are not
 * eligible under it: at most two calls. The links are undefined when no email has a candidate.
 */
export async function judgeEmails(
  ctx: Ctx,
  emails: readonly StepEmail[],
  tokens: string[],
): Promise<{ judged: JudgedEmail[]; links: LinkBases | undefined }> {
  const firsts = await ask(ctx, emails, { from: 0, to: 1 }, tokens)
  const others = emails.filter(({ stepId }) => !firsts.answers.get(stepId)?.some(isEligible))
  const rest = await ask(ctx, others, { from: 1, to: Infinity }, tokens)
  const judged = emails.map((email) => {
    const { stepId, audienceIds } = email
    const answers = [...(firsts.answers.get(stepId) ?? []), ...(rest.answers.get(stepId) ?? [])]
    const at = answers.findIndex(isEligible)
    const reasons = answers.length === 0 ? ['no_audience'] : [...new Set(answers.flatMap((answer) => answer.reasons))]
    return at < 0
      ? { email, audienceId: audienceIds[0] ?? null, prepared: undefined, reasons }
      : { email, audienceId: audienceIds[at]!, prepared: answers[at]!, reasons: [] }
  })
  return { judged, links: firsts.links }
}

const isEligible = ({ reasons }: PreparedRecipient) => reasons.length === 0

/** The answers for these candidates of each email, by step. */
async function ask(
  ctx: Ctx,
  emails: readonly StepEmail[],
  { from, to }: { from: number; to: number },
  tokens: string[],
): Promise<{ answers: Map<string, PreparedRecipient[]>; links: LinkBases | undefined }> {
  const questions = emails.flatMap(({ stepId, contactId, audienceIds }) =>
    audienceIds.slice(from, to).map((audienceId) => ({ stepId, contactId, audienceId })),
  )
  const answers = new Map<string, PreparedRecipient[]>()
  if (questions.length === 0) return { answers, links: undefined }
  const { verdicts, links } = await requestVerdicts(
    ctx,
    questions.map(({ contactId, audienceId }) => ({ contactId, audienceId })),
    tokens,
  )
  for (const [index, { stepId }] of questions.entries()) {
    const known = answers.get(stepId)
    if (known) known.push(verdicts[index]!)
    else answers.set(stepId, [verdicts[index]!])
  }
  return { answers, links }
}
