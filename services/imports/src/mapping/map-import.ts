import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { MapImportRequest, MapImportResponseSchema } from '@lettergate/contracts/imports/v1/imports'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { fitsIn } from '@lettergate/values/text'
import type { Ctx } from '../ctx.ts'
import { requireChange, requireInTime, withoutReport } from '../jobs/change-job.ts'
import { requireJob, type ImportJobRow } from '../jobs/import-job.entity.ts'
import { importReply } from '../jobs/import-reply.ts'
import { isEnded, statusAfter } from '../jobs/import-status.ts'
import { applyProfile } from './apply-profile.ts'
import { checkMapping, mappingFault, type CheckedMapping } from './checked-mapping.ts'
import { customFieldKeys } from './import-mapping.ts'
import { mappingChecksum, refuseUnsavable, requireProfile, saveProfile } from './mapping-profile.entity.ts'

const nameCharsMax = 160

/**
 * Sets the mapping of an import that is not approved, and queues its dry run. An earlier report ends with it, and so does a dry run
 * that is running. One refusal names every problem. With a profile, the request says only what differs from it. A profile is saved in the same transaction.
 */
export async function mapImport(ctx: Ctx, req: MapImportRequest): Promise<Reply<typeof MapImportResponseSchema>> {
  const { workspaceId } = ctx
  const profileName = req.saveProfileName?.trim()
  const { job, given } = await ctx.tx(async (em) => {
    const found = await requireUnapproved(em, workspaceId, { id: req.jobId })
    requireInTime(found, ctx.now(), 'mapped')
    const sent = { mapping: req.mapping, policy: req.policy ?? {} }
    if (req.profileId === undefined) return { job: found, given: sent }
    const profile = await requireProfile(em, workspaceId, req.profileId)
    return { job: found, given: applyProfile(profile, sent, found.headers) }
  })
  const { checked, problems } = checkMapping(given, req.consentPolicy, job)
  const target = await describeTarget(ctx, job.audience_id, checked)
  const all = [...problems, ...target.problems, ...nameProblems(profileName)]
  if (all.length > 0) throw mappingFault(all)
  if (!target.isLive) throw audienceGone()
  if (profileName !== undefined) refuseUnsavable(profileName, checked.mapping, checked.policy)

  const mapped = await ctx.tx(async (em) => {
    const locked = await requireUnapproved(em, workspaceId, { id: job.id, isLocked: true })
    if (profileName !== undefined) {
      const { mapping, policy } = checked
      await saveProfile(em, { workspaceId, name: profileName, mapping, policy, by: ctx.caller.actor })
    }
    const changed = await requireChange(em, locked, 'map', {
      done: 'mapped',
      changes: {
        mapping: { ...checked.mapping },
        consent_policy: checked.consentPolicy,
        policy: { ...checked.policy },
        ...withoutReport,
        error: null,
      },
    })
    await publish(em, AuditRecordedSchema, {
      action: 'import_mapped',
      subjectType: 'import',
      subjectId: job.id,
      actor: ctx.caller.actor,
      detail: {
        consent_policy: checked.consentPolicy,
        mapping_checksum: mappingChecksum(checked.mapping, checked.policy),
        ...(profileName === undefined ? {} : { saved_profile: profileName }),
      },
    })
    return changed
  })
  ctx.wakeWorkers()
  return { import: importReply(mapped) }
}

/** The import, if its mapping may still change. Throws Fault `failed_precondition` for one that is approved or has ended. */
async function requireUnapproved(
  em: Em,
  workspaceId: string,
  which: { id: string; isLocked?: boolean },
): Promise<ImportJobRow> {
  const job = await requireJob(em, workspaceId, which)
  if (statusAfter(job.status, 'map') !== undefined && job.approval_checksum === null) return job
  throw new Fault(
    'failed_precondition',
    'import_status',
    job.approval_checksum === null || isEnded(job.status)
      ? `This import is ${job.status.replaceAll('_', ' ')}, so it cannot be mapped. Nothing was changed.`
      : 'This import is approved, so its mapping cannot change. Cancel it and upload the file again. Nothing was changed.',
  )
}

/** Whether the audience is live, and a problem for each custom field that is not defined. */
async function describeTarget(ctx: Ctx, audienceId: string, { mapping }: CheckedMapping) {
  const fieldKeys = customFieldKeys(mapping)
  const { audienceState, fields } = await ctx.contacts.describeImportTarget(ctx, { audienceId, fieldKeys })
  const defined = new Set(fields.map(({ fieldKey }) => fieldKey))
  const unknown = fieldKeys.filter((key) => !defined.has(key))
  return {
    isLive: audienceState === 'live',
    problems: unknown.map((key) => `mapping: custom.${key} is not defined. Define the field first.`),
  }
}

const nameProblems = (name: string | undefined): string[] => {
  if (name === undefined) return []
  if (name === '') return ['save_profile_name: it must not be empty.']
  const isUsable = fitsIn(nameCharsMax, name) && !name.includes('\u0000')
  return isUsable ? [] : [`save_profile_name: it must be a text of at most ${nameCharsMax} characters without NUL.`]
}

const audienceGone = () =>
  new Fault(
    'failed_precondition',
    'audience_id',
    'The audience of this import is archived or deleted. Upload the file again for another audience.',
  )
