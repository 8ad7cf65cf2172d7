import { sha256Of } from '@lettergate/canonical-json'
import type { RunPreflightRequest, RunPreflightResponseSchema } from '@lettergate/contracts/campaigns/v1/preflight'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readPreflightFacts } from './preflight-facts.ts'
import { Preflight, preflightReply } from './preflight.entity.ts'
import { reportOf } from './report.ts'

/** Checks what a launch needs and stores the report for ever. Sends nothing and opens no gate. */
export async function runPreflight(
  ctx: Ctx,
  _req: RunPreflightRequest,
): Promise<Reply<typeof RunPreflightResponseSchema>> {
  const report = reportOf(await readPreflightFacts(ctx))
  const preflight = {
    workspace_id: ctx.workspaceId,
    id: newId(),
    report,
    report_checksum: sha256Of(report),
    requested_by: ctx.caller.actor,
    completed_at: ctx.now().toISOString(),
  }
  await ctx.tx(async (em) => {
    await kyselyOf(em, Preflight)
      .insertInto('preflights')
      .values({ ...preflight, report: JSON.stringify(report) as never })
      .execute()
    await publish(em, AuditRecordedSchema, {
      action: 'preflight_completed',
      subjectType: 'preflight',
      subjectId: preflight.id,
      actor: ctx.caller.actor,
      detail: { status: report.status, report_checksum: preflight.report_checksum },
    })
  })
  return { preflight: preflightReply(preflight) }
}
