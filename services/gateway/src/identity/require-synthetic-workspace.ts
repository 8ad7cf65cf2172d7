import type {
  RequireSyntheticWorkspaceRequest,
  RequireSyntheticWorkspaceResponseSchema,
} from '@lettergate/contracts/identity/v1/identity'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { findWorkspace } from './workspace.entity.ts'

/** The beginning of the slug of a workspace that is for rehearsals with synthetic contacts. */
const slugBeginning = 'synthetic-'

/**
 * Answers if synthetic contacts may be enrolled in this workspace now. Fault `failed_precondition` in production, and unless the
 * workspace is archived and marked by its slug.
 */
export async function requireSyntheticWorkspace(
  ctx: Ctx,
  { workspaceId }: RequireSyntheticWorkspaceRequest,
): Promise<Reply<typeof RequireSyntheticWorkspaceResponseSchema>> {
  if (ctx.deploymentEnvironment === 'production')
    throw new Fault(
      'failed_precondition',
      'synthetic_in_production',
      'Synthetic contacts are never enrolled in production. Use another environment. Nothing was changed.',
    )
  const workspace = isUuid(workspaceId)
    ? await ctx.acrossWorkspaces(ctx.caller).tx((em) => findWorkspace(em, workspaceId))
    : undefined
  if (!workspace) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
  if (workspace.is_archived && workspace.workspace.startsWith(slugBeginning)) return {}
  throw new Fault(
    'failed_precondition',
    'workspace_not_synthetic',
    `Synthetic contacts are enrolled only in an archived workspace whose slug begins with ${slugBeginning}. Nothing was changed.`,
  )
}
