import type {
  DescribeConfirmationRequest,
  SignupConfirmationSchema,
} from '@lettergate/contracts/contacts/v1/confirmations'
import type { Em } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { maskedEmail } from '../values/normalized-email.ts'
import { readConfirmationFacts, type ConfirmationFacts } from './confirmation-facts.ts'
import { readConfirmationToken, type ConfirmationClaim } from './confirmation-token.ts'
import { findConfirmation, type ConfirmationState } from '../confirmations/signup-confirmation.entity.ts'

/** The state of a confirmation for the hosted page. */
export type ShownState = ConfirmationState | 'refused' | 'gone'

/** The state of the sign-up of a signed link. It changes nothing, so a mail scanner may follow the link. */
export async function describeConfirmation(
  ctx: Ctx,
  req: DescribeConfirmationRequest,
): Promise<Reply<typeof SignupConfirmationSchema>> {
  const claim = readConfirmationToken(ctx.config.preferenceSigningKeys, req.token)
  return ctx.inWorkspace(claim.workspaceId).tx((em) => shownConfirmation(em, claim))
}

/** What the page shows now. */
export async function shownConfirmation(
  em: Em,
  { workspaceId, confirmationId }: ConfirmationClaim,
): Promise<Reply<typeof SignupConfirmationSchema>> {
  const confirmation = await findConfirmation(em, workspaceId, confirmationId)
  if (!confirmation) return { state: 'gone' }
  const facts = await readConfirmationFacts(em, workspaceId, confirmation)
  return {
    state: shownState(confirmation.state, facts),
    maskedEmail: facts.email === null ? '' : maskedEmail(facts.email),
    audienceName: facts.audience_name ?? undefined,
    workspaceName: facts.workspace_name ?? '',
    locale: facts.locale ?? undefined,
  }
}

/** A pending confirmation cannot be confirmed while anything stands against it. */
const shownState = (state: ConfirmationState, { obstacles }: ConfirmationFacts): ShownState =>
  state === 'pending' && obstacles.length > 0 ? 'refused' : state
