import type { MessageInitShape } from '@bufbuild/protobuf'
import type { AutomationSchema, AutomationVersionSchema } from '@lettergate/contracts/automations/v1/automations'
import type { Em } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import type { AutomationRow } from './automation.entity.ts'
import {
  findVersion,
  newestVersions,
  type AutomationVersionRow,
  type VersionSummaryRow,
} from './automation-version.entity.ts'

/** An automation can have more versions; older ones are read by their id. */
const versionsMax = 1_000

/** The flags describe the API, which authors and never enrols. They are the same for every automation. */
const flags = { authoringOnly: true, executionAvailable: false, activationAvailable: false, enrollmentAvailable: false }

/** An automation without its versions. */
export const listedAutomation = (automation: AutomationRow) => ({
  id: automation.id,
  workspaceId: automation.workspace_id,
  name: automation.name,
  slug: automation.slug,
  ...(automation.description === null ? {} : { description: automation.description }),
  status: automation.status,
  currentVersion: automation.current_version,
  ...(automation.review_ready_version === null ? {} : { reviewReadyVersion: automation.review_ready_version }),
  ...(automation.review_ready_by_wallet_id === null
    ? {}
    : { reviewReadyByWalletId: automation.review_ready_by_wallet_id }),
  ...(automation.review_ready_at === null ? {} : { reviewReadyAt: moment(automation.review_ready_at) }),
  ...flags,
})

/** The automation with its current version in full and its version history, newest first. */
export async function automationReply(
  em: Em,
  automation: AutomationRow,
): Promise<MessageInitShape<typeof AutomationSchema>> {
  const of = { workspaceId: automation.workspace_id, automationId: automation.id }
  const current = await findVersion(em, of, { version: automation.current_version })
  if (!current) throw new Error('an automation has no row for its current version')
  const versions = await newestVersions(em, { ...of, max: versionsMax })
  return {
    ...listedAutomation(automation),
    selectedVersion: versionReply(current),
    versions: versions.map(versionSummary),
  }
}

const versionSummary = (version: VersionSummaryRow) => ({
  id: version.id,
  version: version.version,
  triggerType: version.trigger_type,
  definitionChecksum: version.definition_checksum,
  ...(version.change_notes === null ? {} : { changeNotes: version.change_notes }),
  createdByWalletId: version.created_by_wallet_id,
  createdAt: moment(version.created_at),
})

/** One version in full. */
export const versionReply = (version: AutomationVersionRow): MessageInitShape<typeof AutomationVersionSchema> => ({
  ...versionSummary(version),
  definition: version.definition,
  validation: version.validation,
  preview: version.preview,
})
