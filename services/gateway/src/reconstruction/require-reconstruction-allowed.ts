import type {
  RequireReconstructionAllowedRequest,
  RequireReconstructionAllowedResponseSchema,
} from '@lettergate/contracts/identity/v1/identity'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isSlug } from '@lettergate/values/slug'
import type { Ctx } from '../ctx.ts'
import { holds } from '../domain/capabilities.ts'
import { findOperator } from '../identity/membership.entity.ts'
import { findWorkspace, workspaceIdsOf } from '../identity/workspace.entity.ts'

/** The gates that let an email leave, with the variables of their ceilings. */
const sendingCeilings = {
  production_sending_enabled: 'ALLOW_PRODUCTION_SENDING_ACTIVATION',
  test_sends_enabled: 'TEST_SENDS_ENABLED',
} as const

/**
 * Finds the workspace of an operator who may reconstruct content of another system. Throws Fault `failed_precondition` in
 * production and in an environment that could send.
 */
export async function requireReconstructionAllowed(
  ctx: Ctx,
  { organization, workspace, walletUserId }: RequireReconstructionAllowedRequest,
): Promise<Reply<typeof RequireReconstructionAllowedResponseSchema>> {
  requireHarmlessEnvironment(ctx)
  const found = isSlug(organization) && isSlug(workspace) ? await membership() : undefined
  if (!found) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
  for (const capability of ['edit_content', 'edit_automations'] as const) {
    if (!holds(found.role, capability, found.isArchived))
      throw new Fault('permission_denied', capability, `The role ${found.role} does not have ${capability}.`)
  }
  return { workspaceId: found.id }

  /** The environment was checked first, so that a refusal tells nothing about a workspace. */
  function membership() {
    return ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
      const [id] = await workspaceIdsOf(em, organization, workspace)
      if (id === undefined) return undefined
      const operator = await findOperator(em, id, walletUserId)
      const facts = await findWorkspace(em, id)
      return operator && facts ? { id, role: operator.role, isArchived: facts.is_archived } : undefined
    })
  }
}

function requireHarmlessEnvironment({ ceilings, deploymentEnvironment }: Ctx): void {
  if (deploymentEnvironment === 'production') {
    throw new Fault(
      'failed_precondition',
      'reconstruction_in_production',
      'Content of another system is never reconstructed in production. Use an environment in which nothing can be sent.',
    )
  }
  for (const [gate, variable] of Object.entries(sendingCeilings)) {
    if (ceilings[gate as keyof typeof sendingCeilings] === false) continue
    throw new Fault(
      'failed_precondition',
      'reconstruction_sending_ceiling',
      `This environment sets ${variable}=true, so it could send. Content of another system is reconstructed only where nothing can be sent.`,
    )
  }
}
